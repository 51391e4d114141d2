/** Ties objects to Slipway's Subscription that it does not manage, so that they are deleted with it. Sends requests. */
import type { Cluster } from '../../api/cluster.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Backup } from './backup.ts';
import { tiedRefs, tiedTo } from './tied.ts';

/** Those of the backup that exist. Can be repeated. Throws the errors of the client. */
export async function tieObjects(
  cluster: Pick<Cluster, 'get' | 'patch'>,
  backup: Backup,
  subscription: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  for (const ref of tiedRefs(backup)) {
    const live = await cluster.get(ref, signal);
    const ownerReferences = live && tiedTo(live, subscription);
    if (live === undefined || ownerReferences === undefined) continue;
    const { resourceVersion } = live.metadata;
    await cluster.patch(ref, { metadata: { resourceVersion, ownerReferences } }, {}, signal);
  }
}
