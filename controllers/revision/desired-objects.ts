/**
 * The objects of a Revision as they belong in the cluster: loaded from its Secrets once and kept during the roll-out,
 * since every change of an object causes a reconcile that needs them.
 */
import type { Cluster } from '../../api/cluster.ts';
import { prepareObjects, type Owner, type PrepareOptions } from '../../apply/prepare.ts';
import type { Revision } from '../../api/revision.ts';
import type { HandedManifests } from '../handed-manifests.ts';
import { loadManifests } from '../manifests.ts';
import { ownerUidOf } from '../owner.ts';
import type { LoadedObjects, RevisionMemories, RevisionMemory } from './memory.ts';

export interface DesiredDeps {
  /** As the manager: the Secrets are ours. */
  readonly client: Pick<Cluster, 'get'>;
  /** Manifests that were stored a moment ago. */
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
  const manifests = await loadManifests(client, revision, handed?.take(revision.spec.manifests.digest));
  return memories.keepObjects(memory, prepareObjects(manifests, prepareFor(revision)));
}

/** The labels, annotations and namespace for every object of a Revision. */
export function prepareFor(revision: Revision): PrepareOptions {
  const { metadata, spec } = revision;
  const installNamespace = metadata.namespace ?? '';
  return { owner: ownerOf(revision), package: spec.package, revision: metadata.name, installNamespace };
}

/** The Subscription that a Revision belongs to, by the reference that its controller wrote. */
export function ownerOf(revision: Revision): Owner {
  const { metadata, spec } = revision;
  const uid = ownerUidOf(revision);
  return { namespace: metadata.namespace ?? '', name: spec.subscription, ...(uid !== undefined && { uid }) };
}
