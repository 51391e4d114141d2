/**
 * Whether an operator is on its way back to OLM, asked before its objects are deleted: by the controller of Subscriptions for
 * an uninstall, and by that of Revisions if the collector was faster.
 */
import type { AdoptedBy } from '../adoption/backups.ts';
import { wayBackOf, type WayBackUnderWay } from '../adoption/way-back.ts';
import { isForbidden } from '../api/api-answers.ts';
import type { Cluster } from '../api/cluster.ts';

/** Slipway's Subscription, whose objects would be deleted. */
export type LeavingOperator = Omit<AdoptedBy, 'kept'>;

/** Undefined if no way back has begun. Throws errors that pass by themselves. */
export type AskWayBack = (removed: LeavingOperator, signal: AbortSignal) => Promise<WayBackUnderWay | undefined>;

/**
 * A manager that may not read the backups hands nothing over, and knows of no way back.
 *
 * @param kept The namespace of the manager, which keeps the backups.
 */
export function createWayBacks(cluster: Pick<Cluster, 'list'>, kept: string): AskWayBack {
  return async (removed, signal) => {
    try {
      return await wayBackOf(cluster, { ...removed, kept }, signal);
    } catch (error) {
      if (isForbidden(error)) return undefined;
      throw error;
    }
  };
}
