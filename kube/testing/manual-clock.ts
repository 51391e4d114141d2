/** Clocks for tests: one that stands still until a test advances it, and one with very short delays. */
import { systemClock, type Clock } from '../clock.ts';

/** The system's clock, with delays a hundred times shorter. */
export const hastyClock: Clock = {
  ...systemClock,
  after: (seconds, action) => systemClock.after(seconds / 100, action),
};

export interface ManualClock extends Clock {
  /** Advances time, firing timers at their moment, in order. */
  advance(seconds: number): void;
  /** Simulates a paused process: time passes, but timers fire only afterwards, late. */
  skip(seconds: number): void;
  /** Moves the wall clock alone. */
  jump(seconds: number): void;
  /** Pending timers. */
  readonly timers: number;
}

/** Begins at 0 s, on 2026-01-01. */
export function createManualClock(): ManualClock {
  let now = 0;
  let drift = Date.UTC(2026, 0, 1);
  let order = 0;
  const timers = new Map<number, { readonly dueAt: number; readonly action: () => void }>();

  function fireUntil(end: number): void {
    for (;;) {
      const due = [...timers].filter(([, timer]) => timer.dueAt <= end);
      const [next] = due.sort(([a, first], [b, second]) => first.dueAt - second.dueAt || a - b);
      if (next === undefined) break;
      timers.delete(next[0]);
      now = Math.max(now, next[1].dueAt);
      next[1].action();
    }
    now = Math.max(now, end);
  }

  return {
    now: () => now,
    wall: () => drift + now * 1000,
    after(seconds, action) {
      const id = (order += 1);
      timers.set(id, { dueAt: now + seconds, action });
      return () => void timers.delete(id);
    },
    advance: (seconds) => fireUntil(now + seconds),
    skip(seconds) {
      now += seconds;
      fireUntil(now);
    },
    jump(seconds) {
      drift += seconds * 1000;
    },
    get timers() {
      return timers.size;
    },
  };
}
