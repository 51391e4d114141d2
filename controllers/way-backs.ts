/**
 * Whether an operator is on its way back to OLM, asked before its objects are deleted: by the controller of Subscriptions for
 * an uninstall, and by that of Revisions if the collector was faster.
 */
import type { AdoptedBy } from '../adoption/backups.ts';
import { wayBackOf, type WayBackUnderWay } from '../adoption/way-back.ts';
import { isForbidden } from '../api/api-answers.ts';
import type { Cluster } from '../api/cluster.ts';
import type { AskForBackups } from './kept-backups.ts';
import { createRecent } from './recent.ts';

/** Slipway's Subscription, whose objects would be deleted. */
export type LeavingOperator = Omit<AdoptedBy, 'kept'>;

/** Undefined if no way back has begun. Throws errors that pass by themselves. */
export type AskWayBack = (removed: LeavingOperator, signal: AbortSignal) => Promise<WayBackUnderWay | undefined>;

export interface WayBacksOptions {
  /** The namespace of the manager, which keeps the backups. */
  readonly kept: string;
  /** Asked first, as it costs less; by default each Subscription may have backups. */
  readonly mayHaveBackups?: AskForBackups;
  /** Milliseconds of a monotonic clock; the process's own by default. */
  readonly clock?: () => number;
}

/**
 * The controller of Subscriptions asks before it deletes the Revisions, which ask again at once: that none has begun counts
 * for them too. The API server answers a list only when its cache has seen the last write, which is up to 100 ms.
 */
const NONE_COUNTS_MS = 500;

/** A manager that may not read the backups hands nothing over, and knows of no way back. */
export function createWayBacks(
  cluster: Pick<Cluster, 'list'>,
  { kept, mayHaveBackups = async () => true, clock = () => performance.now() }: WayBacksOptions,
): AskWayBack {
  const noneAt = createRecent<number>();
  return async (removed, signal) => {
    const key = JSON.stringify([removed.namespace, removed.name, removed.package]);
    const isRecent = clock() - (noneAt.get(key) ?? Number.NEGATIVE_INFINITY) < NONE_COUNTS_MS;
    if (isRecent) return undefined;
    const begun = await unlessForbidden(async () =>
      (await mayHaveBackups(removed.name)) ? wayBackOf(cluster, { ...removed, kept }, signal) : undefined,
    );
    signal.throwIfAborted();
    if (begun === undefined) noneAt.set(key, clock());
    return begun;
  };
}

async function unlessForbidden<Answer>(ask: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
