/** How long one decision may take: it blocks the only thread of the manager. Pure. */
import type { LeaseTimings } from '../../kube/election/lease-record.ts';

/** After a longer time the probes of the manager would fail. */
const MOST_SECONDS = 5;

/** Half of the time within which the lease must be renewed. */
export function secondsToDecide({ renewSeconds }: Pick<LeaseTimings, 'renewSeconds'>): number {
  return Math.min(MOST_SECONDS, renewSeconds / 2);
}

interface DecisionClock {
  readonly now: () => Date;
  readonly decisionSeconds: number;
}

/** Returns whether a decision that begins now takes too long. */
export function expiryOf({ now, decisionSeconds }: DecisionClock): () => boolean {
  const began = now().getTime();
  return () => now().getTime() - began > decisionSeconds * 1000;
}
