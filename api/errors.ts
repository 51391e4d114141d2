/**
 * The one error that a person may see. It carries a reason from the closed list of reasons.ts and says what to
 * do about the retry; a bug throws a plain Error instead.
 */
import type { Reason } from './reasons.ts';

/** When to try again: with growing delays, after a known time, or not until an input changes. */
export type Retry = 'backoff' | 'never' | { readonly afterSeconds: number };

export interface ErrorFacts {
  readonly reason: Reason;
  readonly retry: Retry;
  /** What failed, on which object; stable between retries: no ports, times or random names. */
  readonly message: string;
  /** What the reader can do about it. */
  readonly hint?: string;
  readonly cause?: unknown;
}

export class ReasonedError extends Error {
  override readonly name = 'ReasonedError';
  readonly reason: Reason;
  readonly retry: Retry;
  readonly hint: string | undefined;

  constructor({ reason, retry, message, hint, cause }: ErrorFacts) {
    super(redact(message), cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.retry = retry;
    this.hint = hint;
  }

  /** The message with its hint: what a condition or a terminal shows. */
  describe(): string {
    return this.hint === undefined ? this.message : `${this.message}. ${this.hint}`;
  }
}

/** Hides what follows `Bearer`/`Basic` and passwords in URLs; cuts control characters and runaway length. */
export function redact(text: string): string {
  return text
    .replaceAll(/\b(Bearer|Basic) [\w.~+/=-]+/gi, '$1 [redacted]')
    .replaceAll(/\/\/[^\s/@:]+:[^\s/@]+@/g, '//[redacted]@')
    .replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g, '\uFFFD')
    .slice(0, 4096);
}
