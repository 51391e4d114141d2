/** The edits of ConfigMaps and Secrets that a hand-over sets back, compared with the version as it is published. */
import type { Cluster } from '../../../api/cluster.ts';
import { describeRef, refOf, type KubeObject } from '../../../api/object.ts';
import {
  isSettings,
  overwrittenOf as overwrittenOfObjects,
  type Overwritten,
} from '../../../controllers/overwritten.ts';
import { objectsOf, type LiveTrial } from './restarts.ts';

/**
 * If the version as it is published cannot be read here, all that OLM has of the bundle, since any may have been edited.
 * Throws as restartsOf does.
 *
 * @param handedOver The objects of OLM that are handed over.
 */
export async function overwrittenOf(
  cluster: Pick<Cluster, 'get' | 'apply'>,
  trial: LiveTrial,
  handedOver: readonly KubeObject[],
): Promise<readonly Overwritten[]> {
  const { published, signal } = trial;
  if (published.kind !== 'unknown')
    return overwrittenOfObjects(cluster, { objects: await objectsOf(cluster, trial), signal });
  const unknown = `the version as it is published cannot be read here: ${published.why}`;
  return handedOver
    .filter((object) => isSettings(object) && !isCertificate(object))
    .map((object) => ({ object: describeRef(refOf(object)), entries: [], fields: [], unknown }));
}

/** OLM has made the Secret, and Slipway goes on with it. */
function isCertificate({ kind, metadata: { name } }: KubeObject): boolean {
  return kind === 'Secret' && name.endsWith('-service-cert');
}
