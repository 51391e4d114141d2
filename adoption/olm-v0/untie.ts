/** Takes the owner references to Slipway's Subscription off objects that are to outlive it. Sends requests. */
import type { Cluster } from '../../api/cluster.ts';
import { refOf, type Kind, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { nameOnly, ownedParts } from '../../apply/listed-parts.ts';
import { OLM } from './kinds.ts';
import { untied } from './tied.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';

/** Of these objects, those that exist and are tied. */
export async function untieObjects(
  cluster: Pick<Cluster, 'get' | 'patch'>,
  refs: readonly ObjectRef[],
  signal: AbortSignal,
): Promise<void> {
  for (const ref of refs) {
    const live = await cluster.get(ref, signal);
    const ownerReferences = live && untied(live);
    if (live === undefined || ownerReferences === undefined) continue;
    const { resourceVersion } = live.metadata;
    await cluster.patch(ref, { metadata: { resourceVersion, ownerReferences } }, {}, signal);
  }
}

/** The kinds that the hand-over ties to Slipway's Subscription. */
const TIED: readonly Kind[] = [
  OLM.operatorCondition,
  ...['Role', 'RoleBinding'].map((kind) => ({ apiVersion: RBAC, kind })),
];

/**
 * Takes the owner references to the Subscription off all objects of its namespace, so that the collector does not delete them
 * with it; returns those objects. A backup is not needed.
 */
export async function untieAll(
  cluster: Pick<Cluster, 'list' | 'patch'>,
  { metadata: { namespace = '', uid = '' } }: KubeObject,
  signal: AbortSignal,
): Promise<readonly ObjectRef[]> {
  const isTied = ({ metadata: { ownerReferences = [] } }: KubeObject): boolean =>
    ownerReferences.some((one) => one.uid === uid);
  const keep = (object: KubeObject): KubeObject => (isTied(object) ? ownedParts(object) : nameOnly(object));
  const options = { namespace, metadataOnly: true, keep };
  const lists = await Promise.all(TIED.map((kind) => cluster.list(kind, options, signal)));
  const tied = lists.flat().filter(isTied);
  for (const object of tied) {
    const { resourceVersion } = object.metadata;
    await cluster.patch(
      refOf(object),
      { metadata: { resourceVersion, ownerReferences: untied(object) ?? [] } },
      {},
      signal,
    );
  }
  return tied.map(refOf);
}
