/** A time limit: a signal that aborts with another one, or by itself when the time is over. */
import type { Clock } from '../clock.ts';

export interface TimeLimit {
  readonly signal: AbortSignal;
  /** The awaited event came in time; from now on the signal aborts with the other one only. */
  readonly met: () => void;
  /** The limited work has ended; the signal aborts no more. */
  end(): void;
}

export interface LimitOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Called when the time is over; returns the abort reason. */
  readonly late: () => Error;
}

/** A limit of this many seconds from now. */
export function limitTime(seconds: number, { clock, signal, late }: LimitOptions): TimeLimit {
  const controller = new AbortController();
  const forward = (): void => controller.abort(signal?.reason);
  const cancel = clock.after(seconds, () => controller.abort(late()));
  if (signal?.aborted) forward();
  signal?.addEventListener('abort', forward, { once: true });
  return {
    signal: controller.signal,
    met: cancel,
    end() {
      cancel();
      signal?.removeEventListener('abort', forward);
    },
  };
}
