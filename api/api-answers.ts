/**
 * Predicates about an answer of the API server, by the shape of an error: `kube/` throws it, `apply/` and the
 * controllers read it, and neither has to know the other's class. An error without an answer matches none.
 */

/** The fields of an error that is an answer of the API server. */
export interface ApiAnswer {
  /** HTTP status; 0 if no answer came. */
  readonly code: number;
  /** `AlreadyExists`, `Conflict`, `NotFound`, `Invalid`, …; empty if the server sent none. */
  readonly statusReason?: string;
  readonly causes?: readonly { readonly reason?: string; readonly field?: string; readonly message?: string }[];
}

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
  return (
    isConflict(error) || (answer?.code === 422 && (answer.causes ?? []).some(({ field }) => field === 'metadata.uid'))
  );
}

/** Whether a resourceVersion or a continue token has expired. */
export function isExpired(error: unknown): boolean {
  const answer = answerOf(error);
  return answer?.code === 410 || ['Expired', 'Gone'].includes(answer?.statusReason ?? '');
}

/** The fields of an answer; undefined for any other error. */
export function answerOf(error: unknown): ApiAnswer | undefined {
  return error instanceof Error && typeof (error as Partial<ApiAnswer>).code === 'number'
    ? (error as unknown as ApiAnswer)
    : undefined;
}
