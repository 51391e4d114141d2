/** Predicates about errors of the API server. Any other error matches none of them. */
import { ApiError } from './api-error.ts';

/** Whether the server says that the object, its kind or its namespace does not exist. */
export function isNotFound(error: unknown): boolean {
  return answerOf(error)?.code === 404;
}

/** Whether the server refuses the request because of missing rights or an exceeded quota. */
export function isForbidden(error: unknown): boolean {
  return answerOf(error)?.code === 403;
}

/** Whether a create met an object of that name. */
export function isAlreadyExists(error: unknown): boolean {
  const answer = answerOf(error);
  return answer?.code === 409 && answer.statusReason === 'AlreadyExists';
}

/** Whether another writer was faster: the resourceVersion is outdated, or a precondition failed. */
export function isConflict(error: unknown): boolean {
  return answerOf(error)?.code === 409 && !isAlreadyExists(error);
}

/**
 * Whether a write met another state or another object than intended: a conflict, or the refusal of an apply with
 * another object's uid, which the server reports as a change of that field.
 */
export function isConflictOrReplaced(error: unknown): boolean {
  const answer = answerOf(error);
  return isConflict(error) || (answer?.code === 422 && answer.causes.some(({ field }) => field === 'metadata.uid'));
}

/** Whether a resourceVersion or a continue token has expired. */
export function isExpired(error: unknown): boolean {
  const answer = answerOf(error);
  return answer?.code === 410 || ['Expired', 'Gone'].includes(answer?.statusReason ?? '');
}

/** The error as one of the API server; undefined for any other error. */
export function answerOf(error: unknown): ApiError | undefined {
  return error instanceof ApiError ? error : undefined;
}
