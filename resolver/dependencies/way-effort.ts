/**
 * The effort that one resolution may spend on the upgrades of dependents. Catalogs decide how many versions, ways and
 * steps there are, and the manager has one thread for all tenants.
 */

/**
 * The most units for one resolution: a second or two. A package of 1,000 versions that 20 upgrades of three steps need
 * costs about a hundredth of it.
 */
const MOST_WAY_UNITS = 10_000_000;

/** Units between two questions to the clock. */
const CLOCK_EVERY = 1000;

/** Once the effort is over it stays so: results that were found meanwhile mean nothing. */
export class WayEffort {
  readonly #expired: (() => boolean) | undefined;
  #left: number;
  #untilClock = CLOCK_EVERY;

  /** @param expired Whether the time is up by the clock. */
  constructor(expired: (() => boolean) | undefined, most: number = MOST_WAY_UNITS) {
    this.#expired = expired;
    this.#left = most;
  }

  /** Takes units for one comparison or one place each; false when the effort is over. */
  spend(units = 1): boolean {
    this.#left -= units;
    this.#untilClock -= units;
    if (this.#untilClock <= 0) return !this.isOver();
    return this.#left >= 0;
  }

  /** Asks the clock too. */
  isOver(): boolean {
    this.#untilClock = CLOCK_EVERY;
    if (this.#left >= 0 && this.#expired?.() === true) this.#left = -1;
    return this.#left < 0;
  }
}
