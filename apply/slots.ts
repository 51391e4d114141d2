/** Bounds how much is under way at once. */

/** Runs a task when one of the slots is free; tasks begin in the order in which they are handed in. */
export type Slots = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** At most `count` tasks at once, over everything that shares the returned function. */
export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = Math.max(1, count);
  return async (task) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
