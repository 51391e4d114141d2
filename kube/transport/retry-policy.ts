/** Decides whether and when a failed request is sent again. Pure; transport.ts carries it out. */

/** The failure of one attempt. */
export type AttemptFailure =
  /** The server answered with an error. */
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfterSeconds: number | undefined }
  /** The connection broke; `sent` if the server may have received the request. */
  | { readonly kind: 'connection'; readonly sent: boolean };

export interface AttemptFacts {
  /** Attempts so far, at least 1. */
  readonly attempts: number;
  /** How many there may be at most; MOST_ATTEMPTS if it is absent. */
  readonly mostAttempts?: number;
  /** Whether sending it twice has the same effect as once. */
  readonly idempotent: boolean;
  /** Seconds until the caller's deadline. */
  readonly leftSeconds: number;
  /** Uniform in [0, 1). */
  readonly random: number;
}

const MOST_ATTEMPTS = 6;
const FIRST_DELAY_SECONDS = 0.1;
const LONGEST_DELAY_SECONDS = 3;

/**
 * Seconds to wait before the next attempt, or undefined to give up: the server's `Retry-After` on 429 and 5xx (the
 * request was not carried out), else growing delays with jitter on a broken connection, if the request was never sent
 * or is idempotent. Never beyond the deadline.
 */
export function retryDelay(failure: AttemptFailure, facts: AttemptFacts): number | undefined {
  if (facts.attempts >= (facts.mostAttempts ?? MOST_ATTEMPTS)) return undefined;
  const delay = failure.kind === 'answer' ? answerDelay(failure, facts) : connectionDelay(failure, facts);
  return delay !== undefined && delay < facts.leftSeconds ? delay : undefined;
}

function answerDelay(
  failure: Extract<AttemptFailure, { kind: 'answer' }>,
  { random }: AttemptFacts,
): number | undefined {
  const busy = failure.status === 429 || failure.status >= 500;
  return busy && failure.retryAfterSeconds !== undefined ? failure.retryAfterSeconds * (1 + random / 4) : undefined;
}

function connectionDelay(
  failure: Extract<AttemptFailure, { kind: 'connection' }>,
  facts: AttemptFacts,
): number | undefined {
  if (failure.sent && !facts.idempotent) return undefined;
  return jittered(Math.min(FIRST_DELAY_SECONDS * 3 ** (facts.attempts - 1), LONGEST_DELAY_SECONDS), facts.random);
}

/** A delay between half of `seconds` and all of it. */
export function jittered(seconds: number, random: number): number {
  return seconds * (0.5 + random / 2);
}
