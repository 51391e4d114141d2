/** Reads the facts of OLM for the preview of an uninstall: rights that OLM had given, and hand-overs that have not ended. */
import { findOpen, type OpenHandOver } from '../../adoption/open-hand-overs.ts';
import { judgeUninstall, type FindOptions, type JudgedUninstall } from '../../adoption/removal.ts';
import type { Cluster } from '../../api/cluster.ts';
import type { Subscription } from '../../api/subscription.ts';

export interface JudgedPreview extends JudgedUninstall {
  readonly begun: readonly OpenHandOver[];
}

/** Throws the errors of the client, and InputInvalid, not retried, for a backup that a person has damaged. */
export async function judgePreview(
  cluster: Pick<Cluster, 'get' | 'list'>,
  subscription: Subscription,
  options: Pick<FindOptions, 'kept' | 'signal'>,
): Promise<JudgedPreview> {
  const judged = await judgeUninstall(cluster, subscription, options);
  return { ...judged, begun: await findOpen(cluster, subscription, options) };
}
