/** For tests: waits for a condition, looking often; the test's own time limit ends it. */
import { setTimeout as pause } from 'node:timers/promises';

/** Resolves with what `look` gives once that is neither undefined nor false. */
export async function eventually<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    await pause(5);
  }
}
