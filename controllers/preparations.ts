/**
 * How many bundles are prepared and catalogs indexed at the same time: the files, documents and objects of one take many times
 * its size in memory, and many Subscriptions or Catalogs may be created at once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createSlots } from '../apply/slots.ts';

/** One is pulled while another is rendered. */
const MOST_BUNDLES = 2;

/** A registry that answers slowly must not hold up the bundles of others; little of its own has arrived by then. */
const SLOW_MILLISECONDS = 2000;

export interface PreparationLimits {
  /** Tasks at the same time; two by default. */
  readonly most?: number;
  /** How long a task counts at most. */
  readonly slowMilliseconds?: number;
}

/** Runs a task when few others run; one that takes long no longer counts. Resolves and rejects as the task does. */
export function createPreparations({
  most = MOST_BUNDLES,
  slowMilliseconds = SLOW_MILLISECONDS,
}: PreparationLimits = {}): <Result>(task: () => Promise<Result>) => Promise<Result> {
  const slots = createSlots(most);
  return async (task) => {
    let begun: ReturnType<typeof task> | undefined;
    await slots(async () => {
      begun = task();
      await overOrSlow(begun, slowMilliseconds);
    });
    return begun as ReturnType<typeof task>;
  };
}

/** Resolves when the task is over, however it ends, or after that time. */
export async function overOrSlow(task: Promise<unknown>, milliseconds = SLOW_MILLISECONDS): Promise<void> {
  const over = new AbortController();
  const slow = delay(milliseconds, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
  await Promise.race([task.catch(() => undefined), slow]);
  over.abort();
}
