/**
 * Bounds what judging one object may cost: schema and object are both by others, and may be made to cost time. A step is
 * about a microsecond. What is judged meanwhile is judged at one go, so that one count at a time is enough.
 */
const STEPS_OF_AN_OBJECT = 2_000_000;

/** Thrown by takeSteps once the steps are used up. */
class TooMuch extends Error {}

let left = Infinity;

/** Runs with so many steps at most; undefined if they did not do. */
export function withinSteps<T>(run: () => T, steps: number = STEPS_OF_AN_OBJECT): T | undefined {
  left = steps;
  try {
    return run();
  } catch (error) {
    if (error instanceof TooMuch) return undefined;
    throw error;
  } finally {
    left = Infinity;
  }
}

export function takeSteps(count: number): void {
  left -= count;
  if (left < 0) throw new TooMuch();
}
