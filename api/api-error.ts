/**
 * The error of a request to an API server, with our reason for each Status. `kube/` throws it; every folder that reads
 * or writes objects may catch it, and asks the predicates of api-answers.ts. Pure.
 */
import { ReasonedError, type Retry } from './errors.ts';
import type { Reason } from './reasons.ts';

/** One of `details.causes` of a Status: the field, and its fault. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The parts of a `v1.Status` that matter. @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/ */
export interface Status {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  readonly name?: string;
  readonly kind?: string;
  readonly causes: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** An unsuccessful answer of the API server, or none at all (`code` 0). */
export class ApiError extends ReasonedError {
  /** HTTP status, 0 when no answer came. */
  readonly code: number;
  /** The server's reason: `AlreadyExists`, `Conflict`, `NotFound`, …; empty if it sent none. */
  readonly statusReason: string;
  readonly causes: readonly StatusCause[];
  readonly retryAfterSeconds: number | undefined;
  /** Name of the object in the server's Status, if it has one. */
  readonly objectName: string | undefined;

  constructor(subject: string, status: Status, cause?: unknown) {
    const { reason, retry, hint } = judge(status);
    const message = `${subject}: ${status.message ?? `status ${status.code}`}`;
    super({ reason, retry, message, ...(hint !== undefined && { hint }), ...(cause !== undefined && { cause }) });
    this.code = status.code;
    this.statusReason = status.reason ?? '';
    this.causes = status.causes;
    this.retryAfterSeconds = status.retryAfterSeconds;
    this.objectName = status.name;
  }
}

/** The error of a request without an answer, or with an unreadable one. */
export function unavailable(subject: string, message: string, cause?: unknown): ApiError {
  return new ApiError(subject, { code: 0, message, causes: [] }, cause);
}

/**
 * The result of `parse`; throws ApiError(ApiUnavailable, backoff) if it fails, since the answer is not from an API
 * server.
 */
export function readable<T>(subject: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw unavailable(subject, 'the answer cannot be read', cause);
  }
}

interface StatusMeaning {
  readonly reason: Reason;
  readonly retry: Retry;
  readonly hint?: string;
}

function judge(status: Status): StatusMeaning {
  const { code, message = '' } = status;
  if (hasCause(status, 'NamespaceTerminating')) {
    return {
      reason: 'NamespaceTerminating',
      retry: 'backoff',
      hint: 'Wait until the namespace is gone, or choose another',
    };
  }
  if (/failed calling webhook/.test(message)) {
    return {
      reason: 'ApplyFailed',
      retry: 'backoff',
      hint: 'Repair or remove the admission webhook that does not answer',
    };
  }
  if (/^admission webhook .* denied the request|Policy '.*' with binding '.*' denied request/.test(message)) {
    return { reason: 'ObjectInvalid', retry: 'backoff', hint: 'A policy of the cluster refuses the object' };
  }
  if (hasCause(status, 'FieldManagerConflict')) {
    return { reason: 'Collision', retry: 'backoff', hint: 'Another manager owns these fields' };
  }
  if (status.code === 405 && /terminating/.test(message)) {
    return {
      reason: 'ObjectInvalid',
      retry: 'backoff',
      hint: 'The CRD of this kind is being deleted, and none can be made before it is gone and applied again',
    };
  }
  const frozen = immutableFields(status);
  if (frozen.length > 0) {
    const hint = `${frozen.join(' and ')} cannot be changed while the object exists. If the object is deleted, it is made with the new value`;
    return { reason: 'ObjectInvalid', retry: 'never', hint };
  }
  return judgeCode(code, retryOf(status));
}

/** The fields that the API server refuses to change, each once; its message gives their new values first. */
function immutableFields({ causes }: Status): readonly string[] {
  const fields = causes.flatMap(({ message = '', field }) =>
    message.endsWith(': field is immutable') ? (field ?? []) : [],
  );
  return [...new Set(fields)].slice(0, MOST_FIELDS);
}

const MOST_FIELDS = 5;

function judgeCode(code: number, later: Retry): StatusMeaning {
  switch (code) {
    case 401:
      return {
        reason: 'Forbidden',
        retry: 'backoff',
        hint: 'The credentials are not accepted; check the token or certificate',
      };
    case 403:
      return { reason: 'Forbidden', retry: 'backoff', hint: 'Grant the missing rights, or raise the quota' };
    case 404:
      return { reason: 'ApplyFailed', retry: 'backoff', hint: 'Check that the namespace and the kind exist' };
    case 409:
      return { reason: 'Conflict', retry: 'backoff' };
    case 400:
    case 405:
    case 406:
    case 413:
    case 415:
    case 422:
      return { reason: 'ObjectInvalid', retry: 'never' };
    default:
      return { reason: 'ApiUnavailable', retry: later };
  }
}

function hasCause(status: Status, reason: string): boolean {
  return status.causes.some((cause) => cause.reason === reason);
}

function retryOf({ retryAfterSeconds }: Status): Retry {
  return retryAfterSeconds === undefined ? 'backoff' : { afterSeconds: retryAfterSeconds };
}
