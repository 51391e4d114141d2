/** Gathers the state of the Deployments whose upgrade is rehearsed: which Pods work, and which are new. */
import type { Cluster } from '../../../api/cluster.ts';
import { heldFor } from '../../../apply/held-back.ts';
import { fieldsOf } from '../../../api/untyped.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import type { ManagedObjects } from '../managed-objects.ts';
import { hashOf, newestHash, readyPods } from './pods.ts';
import { serviceBehind, type Trial } from './decide-stage.ts';

export interface TrialDeps {
  /** As the manager. */
  readonly cluster: Pick<Cluster, 'get' | 'list'>;
  readonly managed: Pick<ManagedObjects, 'get'>;
}

/** The Pods of each Deployment that has working ones. */
export async function gatherTrials(
  deps: TrialDeps,
  deployments: readonly KubeObject[],
  signal: AbortSignal,
): Promise<ReadonlyMap<KubeObject, Trial>> {
  const trials = new Map<KubeObject, Trial>();
  for (const deployment of deployments) {
    const live = deps.managed.get(refOf(deployment)) as KubeObject;
    const trial = await gatherTrial(deps, live, signal);
    if (trial !== undefined) trials.set(deployment, trial);
  }
  return trials;
}

/** The hash for which the Deployment was held back counts as long as it has ready Pods. */
async function gatherTrial(
  { cluster, managed }: TrialDeps,
  live: KubeObject,
  signal: AbortSignal,
): Promise<Trial | undefined> {
  const ready = (await readyPods(cluster, live, signal)).map(hashOf);
  const held = heldFor(live);
  const newest = held === undefined ? undefined : await newestHash(cluster, live, signal);
  const old = ready.includes(held) ? held : ready.find((hash) => hash !== undefined && hash !== newest);
  if (old === undefined) return undefined;
  const ref = serviceRef(live);
  const service = managed.get(ref) === undefined ? undefined : await cluster.get(ref, signal);
  const { ports } = fieldsOf(service?.['spec']);
  return { old, fresh: ready.includes(newest) ? newest : undefined, ...(ports !== undefined && { ports }) };
}

function serviceRef(deployment: KubeObject): ObjectRef {
  const [namespace = '', name = ''] = (serviceBehind(deployment) ?? '').split('/');
  return { apiVersion: 'v1', kind: 'Service', namespace, name };
}
