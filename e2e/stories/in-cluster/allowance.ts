/**
 * How long something may take on a machine that does other work meanwhile: a budget holds as it is where the machine has
 * a processor for each process that wants one, and is stretched where they share: to twice the budget at most, so that
 * what is too slow is seen on any machine.
 */
import { availableParallelism, loadavg } from 'node:os';

const MOST = 2;

export interface Allowance {
  readonly seconds: number;
  /** The budget, and the factor by which it was stretched, if it was. */
  readonly reported: string;
}

/** @param load Processes that want a processor, over the last minute; @param processors to share among them. */
export function allowanceFor(
  budgetSeconds: number,
  load: number = loadavg()[0] ?? 0,
  processors: number = availableParallelism(),
): Allowance {
  const share = Math.min(MOST, Math.max(1, load / processors));
  const seconds = budgetSeconds * share;
  if (share === 1) return { seconds, reported: `${budgetSeconds} s allowed` };
  const busy = `${load.toFixed(1)} processes for ${processors} processors`;
  return { seconds, reported: `${budgetSeconds} s allowed, ${seconds.toFixed(1)} s with ${busy}` };
}
