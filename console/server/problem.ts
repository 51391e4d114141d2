/** Why a view or an act cannot be given, as the browser shows it: a reason of the closed list, a sentence, a next step. Pure. */
import { ReasonedError } from '../../api/errors.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Problem } from '../data/view.ts';

/** The problem that an error is. A defect shows no detail of the program: the log has it. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ReasonedError) return problem(error.reason, error.message, error.hint ?? NEXT[error.reason]);
  return problem('InternalError', 'The console cannot answer: this is a defect of it', SEE_LOG);
}

const SEE_LOG = 'Try again; if it stays, see the log of the console';

const NEXT: Readonly<Partial<Record<Reason, string>>> = {
  ApiUnavailable: 'Wait: the page is loaded again by itself once the API server answers',
  Conflict: 'Another writer was faster: try again',
};

/** A problem that the console itself finds. */
export function problem(reason: Reason, message: string, next = ''): Problem {
  return { problem: true, reason, message, next };
}

/** The status of an answer over HTTP. */
export type ProblemStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 421 | 422 | 429 | 500 | 503;

export function statusOfError(error: unknown): ProblemStatus {
  if (error instanceof ApiError && error.code === 404) return 404;
  return error instanceof ReasonedError ? statusOfReason(error.reason) : 500;
}

export function statusOfReason(reason: Reason): ProblemStatus {
  return STATUS[reason] ?? 422;
}

const STATUS: Readonly<Partial<Record<Reason, ProblemStatus>>> = {
  Forbidden: 403,
  InputInvalid: 400,
  Conflict: 409,
  Collision: 409,
  ApiUnavailable: 503,
  CatalogUnavailable: 503,
  CredentialsUnavailable: 503,
  RegistryUnavailable: 503,
  InternalError: 500,
};
