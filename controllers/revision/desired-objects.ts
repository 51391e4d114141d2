/**
 * The objects of a Revision as they belong in the cluster: loaded from its Secrets once and kept during the roll-out,
 * since every change of an object causes a reconcile that needs them.
 */
import type { Cluster } from '../../api/cluster.ts';
import { prepareObjects } from '../../apply/prepare.ts';
import type { Revision } from '../../api/revision.ts';
import type { HandedManifests } from '../handed-manifests.ts';
import { loadManifests } from '../manifests.ts';
import { prepareFor } from '../prepare-for.ts';
import type { LoadedObjects, RevisionMemories, RevisionMemory } from './memory.ts';

export interface DesiredDeps {
  /** As the manager: the Secrets are ours. */
  readonly client: Pick<Cluster, 'get'>;
  /** The objects of manifests that were stored a moment ago. */
  readonly handed?: Pick<HandedManifests, 'take'>;
  readonly memories: Pick<RevisionMemories, 'keepObjects'>;
}

/** The objects, prepared. Throws as loadManifests does. */
export async function desiredObjects(
  { client, handed, memories }: DesiredDeps,
  revision: Revision,
  memory: RevisionMemory,
): Promise<LoadedObjects> {
  if (memory.loaded !== undefined) return memory.loaded;
  const { rendered, prepared } = (await handed?.take(revision)) ?? {};
  const manifests = await loadManifests(client, revision, rendered);
  return memories.keepObjects(memory, prepared ?? prepareObjects(manifests, prepareFor(revision)));
}
