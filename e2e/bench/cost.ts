/** What a piece of work costs, and the middle of several measurements. Pure but for the clock. */

export interface Cost {
  readonly seconds: number;
  readonly requests: number;
  /** Peak resident size of the manager up to then, in megabytes. */
  readonly memory?: number;
  /** Seconds of processor time that the manager used. */
  readonly cpu?: number;
}

/** Runs the work and returns its duration, with the requests that the counter counted. */
export async function timed(counter: { readonly requests: number }, work: () => Promise<void>): Promise<Cost> {
  const [before, start] = [counter.requests, performance.now()];
  await work();
  return { seconds: (performance.now() - start) / 1000, requests: counter.requests - before };
}

/** The middle value of each figure; of an even number of them the mean of the middle two. */
export function medianCost(costs: readonly Cost[]): Cost {
  const middle = (pick: (cost: Cost) => number | undefined): number | undefined =>
    median(costs.map(pick).filter((value) => value !== undefined));
  const [memory, cpu] = [middle((cost) => cost.memory), middle((cost) => cost.cpu)];
  return {
    seconds: middle(({ seconds }) => seconds) ?? Number.NaN,
    requests: middle(({ requests }) => requests) ?? Number.NaN,
    ...(memory !== undefined && { memory }),
    ...(cpu !== undefined && { cpu }),
  };
}

/** Undefined for no numbers. */
export function median(numbers: readonly number[]): number | undefined {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}
