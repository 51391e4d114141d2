/** Waits for a condition in tests: asks again and again, never sleeps for a fixed time. */
import { setTimeout as pause } from 'node:timers/promises';

export interface UntilOptions {
  readonly timeoutSeconds?: number;
  /** Told when the time is up. */
  readonly explain?: () => string | Promise<string>;
}

/** Resolves with the first truthy answer. An error counts as "not yet"; the last one is told when the time is up. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  { timeoutSeconds = 60, explain }: UntilOptions = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutSeconds * 1000;
  let last: unknown;
  while (performance.now() < deadline) {
    try {
      const answer = await ask();
      if (answer) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    await pause(100);
  }
  const why = last instanceof Error ? last.message : JSON.stringify(last);
  throw new Error(`not within ${timeoutSeconds} s: ${what}. Last answer: ${why}\n${(await explain?.()) ?? ''}`);
}
