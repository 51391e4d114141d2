/**
 * The objects of a Revision as they belong in the cluster: loaded from its Secrets once and kept during the roll-out,
 * since every change of an object causes a reconcile that needs them. The slot of the reconcile has room for them.
 */
import type { Cluster } from '../../api/cluster.ts';
import { prepareObjects } from '../../apply/prepare.ts';
import type { Revision } from '../../api/revision.ts';
import type { HandedManifests } from '../handed-manifests.ts';
import { loadWithin, type LoadRoom } from '../loads.ts';
import { checkManifests } from '../manifest-objects.ts';
import { prepareFor } from '../prepare-for.ts';
import type { LoadedObjects, RevisionMemories, RevisionMemory } from './memory.ts';

export interface DesiredDeps {
  /** As the manager: the Secrets are ours. */
  readonly client: Pick<Cluster, 'get'>;
  /** The objects of manifests that were stored a moment ago. */
  readonly handed?: Pick<HandedManifests, 'take' | 'weightFor'>;
  readonly memories: Pick<RevisionMemories, 'keepObjects'>;
}

/** The objects, prepared. Throws as loadManifests does, and the reason of the signal if there is no room before it aborts. */
export async function desiredObjects(
  deps: DesiredDeps,
  revision: Revision,
  { memory, ...loading }: LoadRoom & { readonly memory: RevisionMemory },
): Promise<LoadedObjects> {
  const { slot, signal } = loading;
  const known = memory.loaded?.weight ?? deps.handed?.weightFor(revision);
  if (known !== undefined) {
    await slot.take(known, signal);
    // Others may have taken their room in memory meanwhile.
    const found = memory.loaded ?? (await takeHanded(deps, revision, memory));
    if (found !== undefined) return found;
  }
  const [manifests = []] = await loadWithin(deps.client, [revision], loading);
  return deps.memories.keepObjects(memory, prepareObjects(manifests, prepareFor(revision)));
}

async function takeHanded(
  { handed, memories }: DesiredDeps,
  revision: Revision,
  memory: RevisionMemory,
): Promise<LoadedObjects | undefined> {
  const taken = await handed?.take(revision);
  if (taken === undefined) return undefined;
  const manifests = checkManifests(taken.rendered, revision);
  return memories.keepObjects(memory, taken.prepared ?? prepareObjects(manifests, prepareFor(revision)));
}
