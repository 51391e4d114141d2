/**
 * Ends a resolution by the clock. Catalogs decide how many bundles and channels a package has, and the manager has one
 * thread for all tenants: each loop that grows with them asks the clock, and resolve.ts has the answer for that case.
 */

/** Throws TimeIsUp once the time is up; without a clock it never does. */
export type CheckTime = () => void;

class TimeIsUp extends Error {}

/** @param expired Whether the time is up by the clock. */
export function createTimeCheck(expired: (() => boolean) | undefined): CheckTime {
  return () => {
    if (expired?.() === true) throw new TimeIsUp('the time for a resolution is up');
  };
}

/** The result of the work; of `otherwise`, if the time is up before the work is done. */
export function unlessTimeIsUp<T>(work: () => T, otherwise: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TimeIsUp)) throw error;
    return otherwise();
  }
}
