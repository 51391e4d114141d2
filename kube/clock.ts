/** Time for the runtime, replaceable in tests: two clocks and a timer. */

/** Cancels a timer; has no effect after it fired. */
export type Cancel = () => void;

export interface Clock {
  /** Seconds of a monotonic clock. */
  now(): number;
  /** Milliseconds since 1970; may jump. */
  wall(): number;
  /** Runs `action` once after `seconds` (at least 0; more than 24 days counts as 24 days). */
  after(seconds: number, action: () => void): Cancel;
}

/** The longest delay that a Node timer can hold. */
const LONGEST_SECONDS = 24 * 24 * 3600;

/** The clocks and timers of the process. */
export const systemClock: Clock = {
  now: () => performance.now() / 1000,
  wall: () => Date.now(),
  after(seconds, action) {
    const timer = setTimeout(action, Math.min(seconds, LONGEST_SECONDS) * 1000);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `seconds`; rejects with the reason of `signal` as soon as that aborts. */
export function sleep(
  seconds: number,
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = clock.after(seconds, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
