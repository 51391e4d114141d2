/** Waits for a condition in tests: asks again and again, never sleeps for a fixed time. */
import { setTimeout as pause } from 'node:timers/promises';

const PAUSE_MS = { shortest: 100, longest: 1000 };
/** The pause is no less than this part of the time that was waited, and this many times what an answer took. */
const [OF_WAITED, OF_ASKED] = [1 / 20, 5];

export interface UntilOptions {
  /** When to give up. The default ends a wait for ever; another one is for a wait that must end before something else. */
  readonly timeoutSeconds?: number;
  /** Used in the error when the time is up. */
  readonly explain?: () => string | Promise<string>;
}

/**
 * Resolves with the first truthy answer. An error counts as "not yet"; the last one is reported when the time is up.
 * The pauses are longer if an answer is slow or late, so that polling takes no processor from the awaited programs.
 */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  { timeoutSeconds = 180, explain }: UntilOptions = {},
): Promise<NonNullable<T>> {
  const start = performance.now();
  const deadline = start + timeoutSeconds * 1000;
  let last: unknown;
  while (performance.now() < deadline) {
    const began = performance.now();
    try {
      const answer = await ask();
      if (answer) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    await pause(pauseAfter({ asked: performance.now() - began, waited: performance.now() - start }));
  }
  const why = last instanceof Error ? last.message : JSON.stringify(last);
  throw new Error(`not within ${timeoutSeconds} s: ${what}. Last answer: ${why}\n${(await explain?.()) ?? ''}`);
}

function pauseAfter({ asked, waited }: { readonly asked: number; readonly waited: number }): number {
  return Math.min(PAUSE_MS.longest, Math.max(PAUSE_MS.shortest, asked * OF_ASKED, waited * OF_WAITED));
}
