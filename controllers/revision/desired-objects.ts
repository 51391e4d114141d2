/**
 * The objects of Revisions as they belong in the cluster: loaded from their Secrets once and kept during the roll-out,
 * since every change of an object causes a reconcile that needs them. Dropped as soon as the roll-out is finished.
 */
import type { Cluster } from '../../api/cluster.ts';
import { prepareObjects, type Owner, type PrepareOptions } from '../../apply/prepare.ts';
import { formatJson } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { HandedManifests } from '../handed-manifests.ts';
import { loadManifests } from '../manifests.ts';
import { ownerUidOf } from '../owner.ts';

export interface DesiredObjects {
  /** The objects, prepared. Throws as loadManifests does. */
  of(revision: Revision): Promise<readonly KubeObject[]>;
  forget(revision: Revision): void;
}

/**
 * The most roll-outs whose objects are kept, and the most characters of all of them as JSON; beyond that they are
 * loaded again.
 */
const [MOST_KEPT, MOST_CHARACTERS] = [32, 16_000_000];

interface Kept {
  readonly objects: readonly KubeObject[];
  readonly characters: number;
}

/**
 * @param cluster As the manager: the Secrets are ours.
 * @param handed Manifests that were stored a moment ago.
 */
export function createDesiredObjects(
  cluster: Pick<Cluster, 'get'>,
  handed?: Pick<HandedManifests, 'take'>,
): DesiredObjects {
  const kept = new Map<string, Kept>();
  return {
    async of(revision) {
      const key = keyOf(revision);
      const known = kept.get(key);
      if (known !== undefined) return known.objects;
      const objects = await loadObjects(cluster, revision, handed?.take(revision.spec.manifests.digest));
      kept.set(key, { objects, characters: formatJson(objects).length });
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_KEPT && total(kept) <= MOST_CHARACTERS) break;
        kept.delete(oldest);
      }
      return objects;
    },
    forget: (revision) => void kept.delete(keyOf(revision)),
  };
}

function total(kept: ReadonlyMap<string, Kept>): number {
  return [...kept.values()].reduce((sum, { characters }) => sum + characters, 0);
}

/** Everything that decides the objects; all of it is immutable in a Revision. */
function keyOf({ metadata, spec }: Revision): string {
  return `${metadata.uid} ${spec.manifests.digest}`;
}

async function loadObjects(
  cluster: Pick<Cluster, 'get'>,
  revision: Revision,
  handed: readonly Buffer[] | undefined,
): Promise<readonly KubeObject[]> {
  return prepareObjects(await loadManifests(cluster, revision, handed), prepareFor(revision));
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
