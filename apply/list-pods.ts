/**
 * Lists the ReplicaSets and Pods of Deployments, and the events about a Pod. Users who may write in their namespace decide how
 * many there are, and how large: only the first ones are read, and only the fields by which health and roll-outs are judged
 * are kept.
 */
import type { Cluster, ListOptions } from '../api/cluster.ts';
import type { DefinedKind, KubeObject } from '../api/object.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../api/untyped.ts';
import { newestReplicaSet, REVISION } from './explain-pods.ts';
import { POD_HASH } from './held-back.ts';
import { shortened } from './short-text.ts';

/** A cluster as far as it is read here. */
export type Lister = Pick<Cluster, 'list'>;

/** More than any operator has. */
const MOST = 500;

const REPLICA_SET = servedKind('apps/v1', 'ReplicaSet', 'replicasets');
const POD = servedKind('v1', 'Pod', 'pods');
const EVENT = servedKind('events.k8s.io/v1', 'Event', 'events');

function servedKind(apiVersion: string, kind: string, plural: string): DefinedKind {
  return { apiVersion, kind, served: { plural, namespaced: true } };
}

/** The ReplicaSets that a selector matches, and the Pods of the newest one of the Deployment. Throws errors of the client. */
export async function listRollOut(
  cluster: Lister,
  deployment: KubeObject,
  { labelSelector, signal }: { readonly labelSelector: string; readonly signal: AbortSignal },
): Promise<{ readonly replicaSets: readonly KubeObject[]; readonly pods: readonly KubeObject[] }> {
  const { namespace = '' } = deployment.metadata;
  const replicaSets = await listReplicaSets(cluster, { namespace, labelSelector }, signal);
  const newest = newestReplicaSet(deployment, replicaSets);
  if (newest === undefined) return { replicaSets, pods: [] };
  const hash = newest.metadata.labels?.[POD_HASH];
  const parts = [labelSelector, hash === undefined ? '' : `${POD_HASH}=${hash}`].filter((part) => part !== '');
  return { replicaSets, pods: await listPods(cluster, { namespace, labelSelector: parts.join(',') }, signal) };
}

/** The first ReplicaSets, with the metadata of their roll-out and their status. */
export function listReplicaSets(
  cluster: Lister,
  options: ListOptions,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  return cluster.list(REPLICA_SET, { ...options, limit: MOST, keep: workloadParts }, signal);
}

/** The first Pods, with the metadata of their roll-out, their status, their account, and the names of their containers. */
export function listPods(cluster: Lister, options: ListOptions, signal: AbortSignal): Promise<readonly KubeObject[]> {
  return cluster.list(POD, { ...options, limit: MOST, keep: workloadParts }, signal);
}

/** The first events about a Pod, as the newer of the two APIs returns them. */
export function listPodEvents(
  cluster: Lister,
  { namespace, pod }: { readonly namespace: string; readonly pod: string },
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const fieldSelector = `regarding.kind=Pod,regarding.name=${pod}`;
  return cluster.list(EVENT, { namespace, fieldSelector, limit: MOST, keep: eventParts }, signal);
}

function workloadParts({ apiVersion, kind, metadata, spec, status }: KubeObject): KubeObject {
  const { serviceAccountName, containers } = fieldsOf(spec);
  const kept = {
    apiVersion,
    kind,
    metadata: {
      ...pick(metadata, [
        'name',
        'namespace',
        'uid',
        'generation',
        'creationTimestamp',
        'deletionTimestamp',
        'ownerReferences',
      ]),
      labels: pick(fieldsOf(metadata.labels), [POD_HASH]),
      annotations: pick(fieldsOf(metadata.annotations), [REVISION]),
    },
    spec: { serviceAccountName, containers: listOf(containers).map(({ name }) => ({ name: textOf(name) })) },
    status,
  };
  return shortened(kept) as KubeObject;
}

function eventParts({ apiVersion, kind, metadata: { name, namespace }, ...event }: KubeObject): KubeObject {
  const facts = pick(event, ['regarding', 'reason', 'note', 'series', 'eventTime', 'deprecatedLastTimestamp']);
  return shortened({ apiVersion, kind, metadata: { name, namespace }, ...facts }) as KubeObject;
}

function pick(fields: object, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}
