/**
 * The time in which this process stood still: its machine slept, its container was frozen, or its clock was set forward. A timer
 * that comes late shows it. A monotonic clock does not: on some machines it goes on meanwhile.
 */
import { systemClock, type Cancel, type Clock } from '../../kube/clock.ts';

/** How often the timer fires, and how late it may be: a process that is busy is late by seconds. */
const [BEAT_SECONDS, LATE_SECONDS] = [10, 60];

export class Standstills {
  readonly #clock: Clock;
  #seenAt: number;
  #runsSince: number;
  #seconds = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#seenAt = clock.wall();
    this.#runsSince = this.#seenAt;
  }

  /** How long it has stood still until now, since the watch began. */
  get seconds(): number {
    this.#look();
    return this.#seconds;
  }

  /** Since when it has run without standing still, or since the watch began. */
  get runsSince(): Date {
    this.#look();
    return new Date(this.#runsSince);
  }

  /** Looks from time to time until `signal` aborts; the time before does not count. */
  watch(signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#seenAt = this.#clock.wall();
    this.#runsSince = this.#seenAt;
    let cancel: Cancel = () => undefined;
    const beat = (): void => {
      this.#look();
      cancel = this.#clock.after(BEAT_SECONDS, beat);
    };
    beat();
    signal.addEventListener('abort', () => cancel(), { once: true });
  }

  #look(): void {
    const now = this.#clock.wall();
    const passed = (now - this.#seenAt) / 1000;
    if (passed > LATE_SECONDS) this.#seconds += passed;
    // The clock may have been set back.
    this.#runsSince = passed > LATE_SECONDS ? now : Math.min(this.#runsSince, now);
    this.#seenAt = now;
  }
}
