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
export async function get(cluster: TestCluster, kind: string, name: string, namespace?: string): Promise<Judged> {
  const where = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return (await cluster.read(`/apis/${versionOf(kind)}${where}/${kind}s/${name}`)) as unknown as Judged;
}

/** The items of `kubectl get KIND -A -l SELECTOR -o json`. */
export async function list<T = Judged>(cluster: TestCluster, kind: string, selector = ''): Promise<readonly T[]> {
  const query = selector === '' ? '' : `?labelSelector=${encodeURIComponent(selector)}`;
  return (await cluster.read(`/apis/${versionOf(kind)}/${kind}s${query}`))['items'] as readonly T[];
}

function versionOf(kind: string): string {
  return kind === 'deployment' ? 'apps/v1' : API_VERSION;
}

export function condition(object: Judged, type: string): Condition | undefined {
  return object.status?.conditions?.find((one) => one.type === type);
}

export interface Wanted {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly timeoutSeconds?: number;
}

/** Waits until an object is as wanted; tells its status where it does not become so. */
export async function waitFor(
  cluster: TestCluster,
  { kind, name, namespace, timeoutSeconds = 60 }: Wanted,
  isWanted: (object: Judged) => boolean,
): Promise<Judged> {
  let last: Judged | undefined;
  return until(
    `${kind} ${name} is as wanted`,
    async () => {
      last = await get(cluster, kind, name, namespace);
      return isWanted(last) ? last : undefined;
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
