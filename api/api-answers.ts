/**
 * Questions about an answer of the API server, asked of any error by its shape: `kube/` throws it, `apply/` and the
 * controllers read it, and neither has to know the class of the other. An error without an answer gets "no".
 */

/** The fields that an error has if it is an answer of the API server. */
export interface ApiAnswer {
  /** HTTP status; 0 when no answer came. */
  readonly code: number;
  /** `AlreadyExists`, `Conflict`, `NotFound`, `Invalid`, …; empty when the server names none. */
  readonly statusReason?: string;
  readonly causes?: readonly { readonly reason?: string; readonly field?: string; readonly message?: string }[];
}

/** Whether the server says that the object, its kind or its namespace does not exist. */
export function isNotFound(error: unknown): boolean {
  return answerOf(error)?.code === 404;
}

/** Whether the server refuses the request for lack of rights, or of room. */
export function isForbidden(error: unknown): boolean {
  return answerOf(error)?.code === 403;
}

/** Whether a create met an object of that name. */
export function isAlreadyExists(error: unknown): boolean {
  const answer = answerOf(error);
  return answer?.code === 409 && answer.statusReason === 'AlreadyExists';
}

/** Whether another writer was faster: a resourceVersion that is no longer the last, or a precondition that failed. */
export function isConflict(error: unknown): boolean {
  return answerOf(error)?.code === 409 && !isAlreadyExists(error);
}

/**
 * Whether a write met another state or another object than the one that it was meant for: a conflict, or the refusal of an
 * apply with the uid of another object, which reads as if that field were to change.
 */
export function isConflictOrReplaced(error: unknown): boolean {
  const answer = answerOf(error);
  return (
    isConflict(error) || (answer?.code === 422 && (answer.causes ?? []).some(({ field }) => field === 'metadata.uid'))
  );
}

/** Whether a resourceVersion or a continue token is too old to go on from. */
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
