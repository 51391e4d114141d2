/**
 * The only error class for failures that people see. It carries a reason from the closed list of reasons.ts and the
 * retry policy; a bug throws a plain Error instead.
 */
import type { Reason } from './reasons.ts';

/** When to retry: with growing delays, after a known time, or not until an input changes. */
export type Retry = 'backoff' | 'never' | { readonly afterSeconds: number };

export interface ErrorFacts {
  readonly reason: Reason;
  readonly retry: Retry;
  /** The failure and its object; stable between retries: no ports, times or random names. */
  readonly message: string;
  /** The action that the reader can take. */
  readonly hint?: string;
  /**
   * The message with its hint for a Subscription with an account, if `message` names or quotes an object of the
   * manager's namespace: tenants read it, and have no rights there.
   */
  readonly forTenants?: string;
  readonly cause?: unknown;
}

export class ReasonedError extends Error {
  override readonly name = 'ReasonedError';
  readonly reason: Reason;
  readonly retry: Retry;
  readonly hint: string | undefined;
  readonly forTenants: string | undefined;

  constructor({ reason, retry, message, hint, forTenants, cause }: ErrorFacts) {
    super(redact(message), cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.retry = retry;
    this.hint = hint;
    this.forTenants = forTenants;
  }

  /** The same failure, retried at another time; its cause is this error. */
  withRetry(retry: Retry): ReasonedError {
    const { reason, message, hint, forTenants } = this;
    return new ReasonedError({
      reason,
      retry,
      message,
      ...(hint !== undefined && { hint }),
      ...(forTenants !== undefined && { forTenants }),
      cause: this,
    });
  }

  /** The message with its hint, for a condition or a terminal. */
  describe(): string {
    return this.hint === undefined ? this.message : `${this.message}. ${this.hint}`;
  }
}

/**
 * Hides passwords in URLs and the credentials after `Bearer`/`Basic`; removes control characters and cuts overlong
 * text.
 */
export function redact(text: string): string {
  return text
    .replaceAll(/\b(Bearer|Basic) [\w.~+/=-]+/gi, '$1 [redacted]')
    .replaceAll(/\/\/[^\s/@:]+:[^\s/@]+@/g, '//[redacted]@')
    .replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g, '\uFFFD')
    .slice(0, 4096);
}
