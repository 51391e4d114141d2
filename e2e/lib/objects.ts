/** Reads and waits for objects of ours, as `kubectl` shows them. */
import type { Condition } from '../../api/conditions.ts';
import { API_VERSION } from '../../api/names.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { until } from './until.ts';

export interface Judged {
  readonly metadata: { readonly name: string; readonly uid: string; readonly generation: number };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly observedGeneration?: number;
    readonly installed?: { readonly version: string; readonly revision: string };
    readonly available?: { readonly version: string };
    readonly conditions?: readonly Condition[];
    readonly [field: string]: unknown;
  };
}

/** What `kubectl get KIND NAME -o json` shows. */
export async function get<T = Judged>(
  cluster: TestCluster,
  kind: string,
  name: string,
  namespace?: string,
): Promise<T> {
  return (await cluster.read(pathOf(kind, name, namespace))) as T;
}

export interface Among {
  /** All namespaces if absent. */
  readonly namespace?: string;
  /** By labels. */
  readonly selector?: string;
}

/** The items of `kubectl get KIND -n NAMESPACE -l SELECTOR -o json`. */
export async function list<T = Judged>(
  cluster: TestCluster,
  kind: string,
  { namespace, selector }: Among = {},
): Promise<readonly T[]> {
  const query = selector === undefined ? '' : `?labelSelector=${encodeURIComponent(selector)}`;
  return (await cluster.read(`${pathOf(kind, undefined, namespace)}${query}`))['items'] as readonly T[];
}

/** Of an object, or of all objects of its kind, however its kind is written. */
export function pathOf(kind: string, name?: string, namespace?: string): string {
  const singular = kind.toLowerCase();
  const where = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const group = GROUPS.get(singular) ?? `/apis/${API_VERSION}`;
  return `${group}${where}/${singular.replace(/y$/, 'ie')}s${name === undefined ? '' : `/${name}`}`;
}

/** Where the API has kinds that are not Slipway's. */
const GROUPS: ReadonlyMap<string, string> = new Map([
  ['namespace', '/api/v1'],
  ['configmap', '/api/v1'],
  ['secret', '/api/v1'],
  ['serviceaccount', '/api/v1'],
  ['pod', '/api/v1'],
  ['deployment', '/apis/apps/v1'],
  ['event', '/apis/events.k8s.io/v1'],
  ['lease', '/apis/coordination.k8s.io/v1'],
]);

export function condition(object: Judged, type: string): Condition | undefined {
  return object.status?.conditions?.find((one) => one.type === type);
}

export interface Wanted {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly timeoutSeconds?: number;
}

/** Waits until an object is as wanted; prints its status if the time is up. */
export async function waitFor(
  cluster: TestCluster,
  { kind, name, namespace, timeoutSeconds = 180 }: Wanted,
  isWanted: (object: Judged) => boolean,
): Promise<Judged> {
  let last: Judged | undefined;
  return until(
    `${kind} ${name} is as wanted`,
    async () => {
      const object = await get(cluster, kind, name, namespace);
      last = object;
      return isWanted(object) ? object : undefined;
    },
    { timeoutSeconds, explain: () => JSON.stringify(last?.status, undefined, 2) },
  );
}

/** Ready, about the spec that there is now. */
export function isReady(object: Judged): boolean {
  const ready = condition(object, 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === object.metadata.generation;
}

/** Ready with that version installed. */
export function runs(version: string): (object: Judged) => boolean {
  return (object) => isReady(object) && object.status?.installed?.version === version;
}

/** A Catalog of a catalog image. */
export function catalogOf(name: string, ref: string, spec: object = {}): string {
  return JSON.stringify({
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Catalog',
    metadata: { name },
    spec: { source: { image: { ref } }, ...spec },
  });
}

/** A Subscription of a package. */
export function subscriptionTo(name: string, namespace: string, spec: object): string {
  return JSON.stringify({
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Subscription',
    metadata: { name, namespace },
    spec,
  });
}
