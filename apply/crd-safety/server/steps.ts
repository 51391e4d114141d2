/**
 * Bounds the cost of judging one object: schema and object come from others, who may make them expensive. A step is
 * about a microsecond. Judging is synchronous, so one counter at a time is enough.
 */
const STEPS_OF_AN_OBJECT = 2_000_000;

/** Thrown by takeSteps when the steps are used up. */
class TooMuch extends Error {}

let left = Infinity;

/** Runs with at most this many steps; undefined if they did not suffice. */
export function withinSteps<T>(run: () => T, steps: number = STEPS_OF_AN_OBJECT): T | undefined {
  left = steps;
  try {
    return run();
  } catch (error) {
    // An API server accepts 10,000 levels of nesting, and a stack has room for fewer.
    if (error instanceof TooMuch || error instanceof RangeError) return undefined;
    throw error;
  } finally {
    left = Infinity;
  }
}

export function takeSteps(count: number): void {
  left -= count;
  if (left < 0) throw new TooMuch();
}
