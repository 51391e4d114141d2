/**
 * How long an adoption waits before it asks again about a step that another program has to take. The beginning of each wait is
 * kept in memory: a manager that has just started asks often again.
 */

const SOON_SECONDS = 2;
const LATER_SECONDS = 30;
/** Most waits are over by then. */
const SHORT_WAIT_SECONDS = 60;
/** Of one that takes longer, the part after which it is asked again. */
const PART = 1 / 10;

/** Subscriptions that wait at the same time. Of more, and of deleted ones, the oldest wait is forgotten. */
const MOST_WAITS = 1000;

interface Wait {
  readonly step: string;
  readonly since: Date;
}

/** The waits of all Subscriptions. */
export class Patience {
  readonly #waits = new Map<string, Wait>();

  /** @param key The Subscription. */
  secondsUntilNext(key: string, step: string, now: Date): number {
    const elapsed = (now.getTime() - this.#begin(key, step, now).since.getTime()) / 1000;
    if (elapsed < SHORT_WAIT_SECONDS) return SOON_SECONDS;
    return Math.min(LATER_SECONDS, Math.round(elapsed * PART));
  }

  /** It has gone on. @param step That is taken now: it is waited for if another writer takes it back each time. */
  forget(key: string, step?: string): void {
    if (step === undefined || this.#waits.get(key)?.step !== step) this.#waits.delete(key);
  }

  #begin(key: string, step: string, now: Date): Wait {
    const known = this.#waits.get(key);
    if (known?.step === step) return known;
    this.#waits.delete(key);
    const [oldest] = this.#waits.keys();
    if (oldest !== undefined && this.#waits.size >= MOST_WAITS) this.#waits.delete(oldest);
    const wait = { step, since: now };
    this.#waits.set(key, wait);
    return wait;
  }
}
