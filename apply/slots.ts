/** Bounds the number of concurrent tasks. */

/** Runs a task when a slot is free; tasks begin in the order of the calls. */
export type Slots = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Requests of one operation that are under way at once. */
export const MOST_REQUESTS = 8;

/** At most `count` concurrent tasks, over all users of the returned function. */
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

/**
 * Runs a task for each item in shared slots; the results are in the order of the items. If a task fails, its error is
 * thrown once all others have ended, so that no request is left under way. No task begins once the signal has aborted:
 * throws its reason.
 */
export async function inSlots<Item, Result>(
  { slots, signal }: { readonly slots: Slots; readonly signal: AbortSignal },
  items: readonly Item[],
  task: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const settled = await Promise.allSettled(
    items.map((item) =>
      slots(async () => {
        signal.throwIfAborted();
        return task(item);
      }),
    ),
  );
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
