/** For tests: polls until a condition holds; the test's own time limit ends it. */
import { setTimeout as pause } from 'node:timers/promises';

/** Resolves with the result of `look` once it is neither undefined nor false. */
export async function eventually<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    await pause(5);
  }
}
