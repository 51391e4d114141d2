/** The edits of ConfigMaps and Secrets that a hand-over sets back, compared with the version as it is published. */
import type { Cluster } from '../../../api/cluster.ts';
import { overwrittenOf as overwrittenOfObjects, type Overwritten } from '../../../controllers/overwritten.ts';
import { objectsOf, type LiveTrial } from './restarts.ts';

/** Throws as restartsOf does. */
export async function overwrittenOf(
  cluster: Pick<Cluster, 'get' | 'apply'>,
  trial: LiveTrial,
): Promise<readonly Overwritten[]> {
  return overwrittenOfObjects(cluster, { objects: await objectsOf(cluster, trial), signal: trial.signal });
}
