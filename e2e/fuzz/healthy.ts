/**
 * Subscriptions that have nothing to do with the fuzz, in namespaces of their own, and how long they stand still: a small
 * change is made again and again, and the time is taken until the manager has answered it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { TestCluster } from '../cluster/cluster.ts';
import { catalogOf, get, isReady, pathOf, subscriptionTo, waitFor } from '../lib/objects.ts';
import { packageDocuments, publishCatalog } from '../lib/publish.ts';
import { publishTiny } from '../lib/tiny-operator.ts';
import { apply, makeNamespaces, requestReconcile } from '../lib/writes.ts';

export const HEALTHY_CATALOG = 'healthy';
/** How many there are. */
export const HEALTHY = 3;

/** Name of its namespace, its Subscription, its package and its Deployment. */
export function healthyName(number: number): string {
  return `healthy-${number}`;
}

/** Publishes and installs them. */
export async function installHealthy(cluster: TestCluster): Promise<void> {
  const { registry } = cluster;
  const names = Array.from({ length: HEALTHY }, (_, number) => healthyName(number));
  const packages = names.map(async (name) => {
    const image = await publishTiny(registry, { name, version: '1.0.0' });
    return packageDocuments(name, [{ version: '1.0.0', image }]);
  });
  await publishCatalog((await Promise.all(packages)).flat(), `${registry}/healthy-catalog:latest`);
  await makeNamespaces(cluster, names);
  await apply(cluster, catalogOf(HEALTHY_CATALOG, `${registry}/healthy-catalog:latest`));
  const spec = { catalog: HEALTHY_CATALOG };
  await apply(cluster, ...names.map((name) => subscriptionTo(name, name, { package: name, ...spec })));
  for (const name of names) await waitFor(cluster, { kind: 'subscription', name, namespace: name }, isReady);
}

/** A change and how long it took until it was answered. */
export interface Probe {
  readonly what: string;
  /** `performance.now()`. */
  readonly began: number;
  readonly milliseconds: number;
  /** Whether it was given up. */
  readonly unanswered: boolean;
}

/** Not counting the time that the machine took: it shows nothing about the manager. */
const GIVE_UP_MS = 60_000;
const ASK_EVERY_MS = 50;
const BETWEEN_MS = 1000;

export interface Probing {
  readonly report: (probe: Probe) => void;
  /** Milliseconds that the machine has taken since a `performance.now()`. */
  readonly stallSince: (began: number) => number;
  readonly signal: AbortSignal;
}

/** Probes one of them until `signal` aborts; waits for the probe under way. */
export async function probeUntil(
  cluster: TestCluster,
  number: number,
  { report, stallSince, signal }: Probing,
): Promise<void> {
  for (let round = 0; !signal.aborted; round += 1) {
    if (round > 0) await pause(BETWEEN_MS);
    const [what, begin] = CHANGES[round % CHANGES.length] as (typeof CHANGES)[number];
    const isAnswered = await begin(cluster, healthyName(number), round).catch(() => undefined);
    const began = performance.now();
    // The API server has not taken the change: there is nothing that the manager could answer.
    if (isAnswered === undefined) continue;
    const answered = await awaitAnswer(isAnswered, () => performance.now() - began - stallSince(began));
    report({ what, began, milliseconds: performance.now() - began, unanswered: !answered });
  }
}

async function awaitAnswer(isAnswered: () => Promise<boolean>, waited: () => number): Promise<boolean> {
  while (waited() < GIVE_UP_MS) {
    if (await isAnswered().catch(() => false)) return true;
    await pause(ASK_EVERY_MS);
  }
  return false;
}

type Change = (cluster: TestCluster, name: string, round: number) => Promise<() => Promise<boolean>>;

const CHANGES: readonly (readonly [string, Change])[] = [
  ['a reconcile is requested', request],
  ['a Deployment is deleted', deleteDeployment],
  ['the configuration is changed', configure],
];

async function request(cluster: TestCluster, name: string): Promise<() => Promise<boolean>> {
  const value = String(Date.now());
  await requestReconcile(cluster, { kind: 'subscription', name, namespace: name }, value);
  return async () => (await get(cluster, 'subscription', name, name)).status?.['lastHandledReconcileAt'] === value;
}

async function deleteDeployment(cluster: TestCluster, name: string): Promise<() => Promise<boolean>> {
  const path = pathOf('deployment', name, name);
  const { uid } = (await get(cluster, 'deployment', name, name)).metadata;
  await cluster.request('DELETE', `${path}?propagationPolicy=Background`);
  return async () => (await get(cluster, 'deployment', name, name)).metadata.uid !== uid;
}

async function configure(cluster: TestCluster, name: string, round: number): Promise<() => Promise<boolean>> {
  const value = String(round);
  const spec = { config: { env: [{ name: 'ROUND', value }] } };
  await cluster.request('PATCH', pathOf('subscription', name, name), { spec });
  return async () =>
    JSON.stringify(await cluster.read(pathOf('deployment', name, name))).includes(`"value":"${value}"`);
}
