/** The ready Pods of a Deployment, and the hashes of their templates. Read only while an upgrade is rehearsed. */
import type { KubeObject } from '../../../api/object.ts';
import type { ListOptions } from '../../../api/cluster.ts';
import { newestReplicaSet } from '../../../apply/explain-pods.ts';
import { POD_HASH } from '../../../apply/held-back.ts';
import { podSelectorOf } from '../../../apply/label-selector.ts';
import { listPods, listReplicaSets, type Lister } from '../../../apply/list-pods.ts';
import { fieldsOf, listOf } from '../../../api/untyped.ts';

/** The Pods of a live Deployment that are ready and not being deleted, the newest first. */
export async function readyPods(
  cluster: Lister,
  live: KubeObject,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const pods = await listPods(cluster, selectionOf(live), signal);
  const ready = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && isReady(pod));
  return ready.toSorted((a, b) => bornAt(b).localeCompare(bornAt(a), 'en'));
}

/** The hash of the template that a live Deployment rolls out; undefined if its controller has not begun. */
export async function newestHash(cluster: Lister, live: KubeObject, signal: AbortSignal): Promise<string | undefined> {
  const replicaSets = await listReplicaSets(cluster, selectionOf(live), signal);
  const newest = newestReplicaSet(live, replicaSets);
  return newest && hashOf(newest);
}

function selectionOf(deployment: KubeObject): ListOptions {
  const labelSelector = [POD_HASH, podSelectorOf(deployment)].join(',');
  return { namespace: deployment.metadata.namespace ?? '', labelSelector };
}

/** The hash of the template of a Pod or a ReplicaSet. */
export function hashOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[POD_HASH];
}

/** Whether its containers are ready, by the kubelet or, if the node is lost, by the controller of nodes. */
export function isReady(pod: KubeObject): boolean {
  return listOf(fieldsOf(pod['status'])['conditions']).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
}

function bornAt({ metadata }: KubeObject): string {
  return metadata.creationTimestamp ?? '';
}
