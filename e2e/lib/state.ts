/** Reads all that a cluster holds, so that the ends of two runs can be compared: what, and which very objects. */
import { ANNOTATION } from '../../api/names.ts';
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { readEverything, type FoundObject } from './everything.ts';

export interface State {
  /** Everything that counts of every object, by `Kind.group namespace/name`: no uids, no times. */
  readonly contents: ReadonlyMap<string, unknown>;
  readonly uids: ReadonlyMap<string, string>;
}

/** Kinds with random names or contents, and those that come and go by themselves. */
const LEFT_OUT = new Set([
  'pods',
  'endpoints',
  'endpointslices.discovery.k8s.io',
  'events',
  'events.events.k8s.io',
  'leases.coordination.k8s.io',
  'nodes',
  'componentstatuses',
  'ipaddresses.networking.k8s.io',
  'apiservices.apiregistration.k8s.io',
]);

export async function readState(cluster: TestCluster): Promise<State> {
  return stateOf(await readEverything(cluster, LEFT_OUT));
}

/** Pure. */
export function stateOf(found: readonly FoundObject[]): State {
  const items = found.filter((item) => !isPlan(item));
  const names: Names = new Map(items.map((item) => [item.metadata.uid, identityOf(item)]));
  return {
    contents: new Map(items.map((item) => [identityOf(item), normalize(comparable(item), names)])),
    uids: new Map(items.map((item) => [identityOf(item), item.metadata.uid])),
  };
}

function identityOf({ apiVersion, kind, metadata }: FoundObject): string {
  const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [''];
  return `${kind}.${group} ${metadata.namespace ?? ''}/${metadata.name}`;
}

/**
 * The texts of Kubernetes' own controllers depend on the states that they happened to observe. A Revision is created
 * active, or beside the one before it and made active then, which is a generation more. It has a plan if it waited long
 * enough to be seen.
 */
function comparable(item: FoundObject): object {
  if (!item.apiVersion.startsWith('slipway.dev/')) return { ...item, status: undefined };
  return item.kind === 'Revision' ? (withoutGenerations(withoutObstacles(withoutPlan(item))) as object) : item;
}

/**
 * Of a Revision that failed: which obstacle each phase met last is up to the machine, and how far it came if that was at its
 * deadline.
 */
function withoutObstacles(item: FoundObject): FoundObject {
  const status = fieldsOf((item as { readonly status?: unknown }).status);
  if (status['failure'] === undefined) return item;
  const { phases, ...others } = status;
  const isLate = textOf(fieldsOf(status['failure'])['message']).search(AT_DEADLINE) >= 0;
  const kept = isLate ? {} : { phases: listOf(phases).map(({ message: _message, ...phase }) => phase) };
  return { ...item, status: { ...others, ...kept } } as FoundObject;
}

/** The Secret of a plan. */
function isPlan(item: FoundObject): boolean {
  return (item as { readonly type?: string }).type === 'slipway.dev/plan';
}

function withoutPlan(item: FoundObject): FoundObject {
  const { plan: _, ...status } = fieldsOf((item as { readonly status?: unknown }).status);
  return { ...item, status } as FoundObject;
}

function withoutGenerations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutGenerations);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== 'generation' && key !== 'observedGeneration');
  return Object.fromEntries(kept.map(([key, content]) => [key, withoutGenerations(content)]));
}

/** Set by the API server or a clock: differs between two runs that come to the same. */
const INCIDENTAL = new Set([
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'clusterIP',
  'clusterIPs',
  'nodePort',
]);

/** The fields and annotations that have the uid of an object. */
const UIDS = new Set<string>(['uid', ANNOTATION.ownerUid, ANNOTATION.requestedBy]);

/** The identity of each object, by its uid. */
type Names = ReadonlyMap<string, string>;

/** An inventory without a uid, or an owner that is gone, is another state than one whose object exists. */
function nameUid(uid: unknown, names: Names): string {
  return uid === '' ? 'NO UID' : (names.get(String(uid)) ?? 'THE UID OF NO OBJECT');
}

/** Of a Pod of a Deployment, as messages name it. */
const POD = /\b(Pod [a-z0-9./-]+)-[a-z0-9]{5,10}-[a-z0-9]{5}\b/g;
/** The generation of a Revision in an annotation: a refused write more or less is no other end. */
const KEPT_BY = /^([a-z0-9-]+-\d+)\/\d+$/;
/** A rollout in progress has several obstacles, one after the other; which one the deadline met is up to the machine. */
const AT_DEADLINE = /(\bNot healthy within \d+ s: ).+/s;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

function normalize(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return normalizeText(value);
  if (Array.isArray(value)) return value.map((one) => normalize(one, names));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !INCIDENTAL.has(key));
  return Object.fromEntries(
    kept.map(([key, content]) => [key, UIDS.has(key) ? nameUid(content, names) : normalize(content, names)]),
  );
}

/** The text without the parts that differ between two runs that come to the same. Pure. */
export function normalizeText(text: string): string {
  return text
    .replaceAll(TIME, 'TIME')
    .replaceAll(POD, '$1')
    .replace(AT_DEADLINE, '$1OBSTACLE')
    .replace(KEPT_BY, '$1')
    .replace(/^resourceVersion \d+$/, 'VERSION');
}
