/**
 * The ConfigMaps and Secrets of a bundle that were edited in the cluster: OLM v0 has left them as they are since it installed
 * the version, and a hand-over sets them back to the manifests of the bundle. Sends only reads and dry runs.
 */
import type { Cluster } from '../../../api/cluster.ts';
import { describeRef, groupKind, refOf, type KubeObject } from '../../../api/object.ts';
import { withUid } from '../../../apply/write.ts';
import { diffFields } from '../../../plan/fields.ts';
import { objectsOf, type LiveTrial } from './restarts.ts';

export interface Overwritten {
  /** `ConfigMap lights/beacon-settings` */
  readonly object: string;
  /** The entries that differ; of a Secret without their values. */
  readonly fields: readonly string[];
}

/** Those whose live entries differ. Throws as restartsOf does. */
export async function overwrittenOf(
  cluster: Pick<Cluster, 'get' | 'apply'>,
  trial: LiveTrial,
): Promise<readonly Overwritten[]> {
  const found: Overwritten[] = [];
  for (const object of await objectsOf(cluster, trial)) {
    const kind = groupKind(object);
    if (kind !== 'ConfigMap' && kind !== 'Secret') continue;
    const live = await cluster.get(refOf(object), trial.signal);
    if (live === undefined) continue;
    const answer = await cluster.apply(withUid(object, live), { force: true, dryRun: true }, trial.signal);
    const { fields, more } = diffFields(entriesOf(live), entriesOf(answer));
    const texts = fields.map(({ path, from = 'absent', to = 'absent' }) =>
      kind === 'Secret' ? path : `${path}: ${from} becomes ${to}`,
    );
    if (texts.length > 0)
      found.push({
        object: describeRef(refOf(object)),
        fields: [...texts, ...(more > 0 ? [`${more} further entries`] : [])],
      });
  }
  return found;
}

function entriesOf({ apiVersion, kind, metadata: { name }, data, binaryData }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name }, data, binaryData };
}
