/** Which Pods of a Deployment work, and of which template they are. Read while an upgrade is rehearsed, not otherwise. */
import type { KubeObject } from '../../../api/object.ts';
import type { Cluster } from '../../../apply/cluster.ts';
import { POD_HASH } from '../../../apply/held-back.ts';
import { fieldsOf, listOf, textOf } from '../../../apply/untyped.ts';

/** The Pods of a live Deployment that are ready and are to stay, the newest first. */
export async function readyPods(
  cluster: Pick<Cluster, 'list'>,
  { metadata, ...deployment }: KubeObject,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const { matchLabels } = fieldsOf(fieldsOf(deployment['spec'])['selector']);
  const labelSelector = Object.entries(fieldsOf(matchLabels))
    .map(([key, value]) => `${key}=${textOf(value)}`)
    .join(',');
  if (labelSelector === '') return [];
  const { namespace = '' } = metadata;
  const pods = await cluster.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace, labelSelector }, signal);
  const ready = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && isReady(pod));
  return ready.toSorted((a, b) => bornAt(b).localeCompare(bornAt(a), 'en'));
}

/** The template that a Pod is of. */
export function hashOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[POD_HASH];
}

function isReady(pod: KubeObject): boolean {
  return listOf(fieldsOf(pod['status'])['conditions']).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
}

function bornAt({ metadata }: KubeObject): string {
  return metadata.creationTimestamp ?? '';
}
