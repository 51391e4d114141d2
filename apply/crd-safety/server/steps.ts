/**
 * Bounds the cost of judging one object: schema and object come from others, who may make them expensive. A step is
 * about a microsecond. Judging is synchronous, so one counter at a time is enough.
 *
 * Every loop whose length others choose takes steps before it runs: for the nodes that it visits, for the fields and items
 * that it only passes, and for the characters that it reads.
 */
const STEPS_OF_AN_OBJECT = 2_000_000;

/** Thrown by takeSteps when the steps are used up. */
class TooMuch extends Error {}

let left = Infinity;

/**
 * Runs with at most this many steps; undefined if they did not suffice. Steps taken within another run count for that
 * run too, and are at most those that it has left.
 */
export function withinSteps<T>(run: () => T, steps: number = STEPS_OF_AN_OBJECT): T | undefined {
  const before = left;
  const given = Math.min(steps, before);
  left = given;
  try {
    return run();
  } catch (error) {
    // An API server accepts 10,000 levels of nesting, and a stack has room for fewer.
    if (error instanceof TooMuch || error instanceof RangeError) return undefined;
    throw error;
  } finally {
    left = before - (given - left);
  }
}

export function takeSteps(count: number): void {
  left -= count;
  if (left < 0) throw new TooMuch();
}

/** The steps of one node in a loop that only walks over a value: judging a node takes a whole step. */
export const VISIT = 0.25;

const PASSED_IN_A_STEP = 8;
const CHARACTERS_OF_A_STEP = 20;

/** Takes the steps for a loop over so many fields, items or branches that does little with each of them. */
export function passFields(count: number): void {
  takeSteps(count / PASSED_IN_A_STEP);
}

/** Takes the steps for a list of the fields of an object, which is slow to make if there are thousands of them. */
export function listFields(count: number): void {
  takeSteps(count / 2);
}

/** Takes the steps for reading or writing a text of this length once. */
export function readText(length: number): void {
  takeSteps(length / CHARACTERS_OF_A_STEP);
}
