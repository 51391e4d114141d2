/**
 * The objects of Revisions as they belong in the cluster: loaded from their Secrets once and kept while a Revision is
 * rolled out, since every change of an object on the way asks for them again. Forgotten as soon as nothing is left to do.
 */
import type { Cluster } from '../../apply/cluster.ts';
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

/** Roll-outs whose objects are kept, and characters of all of them as JSON; what is more is loaded again. */
const [MOST_KEPT, MOST_CHARACTERS] = [32, 16_000_000];

interface Kept {
  readonly objects: readonly KubeObject[];
  readonly characters: number;
}

/**
 * @param cluster As the manager: the Secrets are ours.
 * @param handed What was stored a moment ago.
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

/** Everything that the objects follow from; all of it is immutable in a Revision. */
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

/** What every object that a Revision makes carries. */
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
