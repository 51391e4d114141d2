/**
 * The floor: the same rendered objects by plain server-side apply, eight at a time, phase after phase, with the same
 * waits (CRDs Established, Deployments available), and away again in the opposite order. No program that does this
 * work in this order can be much faster, so the product is judged by how close it comes.
 */
import { identityOf } from '../../apply/identity.ts';
import { assessHealth } from '../../apply/health.ts';
import { orderObjects, PHASE_NAMES, type PhaseName } from '../../apply/phases.ts';
import { hashObject } from '../../apply/prepare.ts';
import { fieldsOf, listOf } from '../../api/untyped.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { Resource } from '../../kube/client/resource-path.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import { createSlots } from '../../apply/slots.ts';
import { kindsDefinedBy, readCustomResources } from './custom-resources.ts';
import { publishBundles, type PullBundles } from './floor-bundles.ts';
import { FLOOR_CONNECTIONS, openFloorClient, type FloorClient } from './floor-client.ts';
import { FloorRecords } from './floor-records.ts';
import { FloorWebhooks } from './floor-webhooks.ts';
import { objectsOf, type BenchOperator } from './operators.ts';
import type { Recorded } from './records.ts';
import { ACTOR, settleDown, type Stage } from './stage.ts';
import { timed, type Cost } from './cost.ts';

export interface FloorRun {
  readonly install: Cost;
  readonly upgrade: Cost;
  readonly removal: Cost;
}

interface Floor {
  readonly client: FloorClient;
  readonly stage: Stage;
  readonly crds: Informer;
  readonly deployments: Informer;
  /** What the API server answered: a watch may not have seen it yet. */
  readonly generations: Map<string, number>;
  /** Absent if no certificates are issued and no custom resources are read. */
  readonly webhooks?: FloorWebhooks;
}

/** The further work of a manager that does its job safely: it gets each bundle, and can be killed at any moment. */
interface SafeWork {
  readonly pull: PullBundles;
  readonly records: FloorRecords;
  readonly webhooks: FloorWebhooks;
}

/**
 * Installs, upgrades and removes the operators together, in the stage's cluster.
 *
 * @param options.withRecords Whether bundles are pulled, records written, certificates issued and custom resources read, as a
 * manager has to that may be killed at any moment and whose webhooks are to work.
 */
export async function runFloor(
  stage: Stage,
  operators: readonly BenchOperator[],
  { withRecords = false }: { readonly withRecords?: boolean } = {},
): Promise<FloorRun> {
  const { server, ca } = stage.cluster;
  const token = await stage.cluster.token(ACTOR.namespace, ACTOR.name);
  const client = openFloorClient({ server, ca, token });
  const crds = await stage.follow({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' });
  const deployments = await stage.follow({ apiVersion: 'apps/v1', kind: 'Deployment' });
  const floor: Floor = { client, stage, crds, deployments, generations: new Map() };
  try {
    await applyAll(floor, objectsOf(stage.warmUp, stage.warmUp.from));
    return await runLaps(floor, operators, withRecords ? await prepareSafeWork(floor, operators) : undefined);
  } finally {
    client.close();
  }
}

async function prepareSafeWork({ client, stage }: Floor, operators: readonly BenchOperator[]): Promise<SafeWork> {
  const records = new FloorRecords(client, stage);
  await records.prepare();
  // The first certificate of a process takes several times as long.
  await new FloorWebhooks(client).issue(operators.flatMap((operator) => objectsOf(operator, operator.to)));
  return { records, webhooks: new FloorWebhooks(client), pull: await publishBundles(stage, operators) };
}

async function runLaps(
  without: Floor,
  operators: readonly BenchOperator[],
  { pull, records, webhooks }: Partial<SafeWork> = {},
): Promise<FloorRun> {
  const floor = { ...without, ...(webhooks && { webhooks }) };
  const { client, stage } = floor;
  const before = operators.flatMap((operator) => objectsOf(operator, operator.from));
  const after = operators.flatMap((operator) => objectsOf(operator, operator.to));
  const changed = changedIn(before, after);
  const [first, second] = [recordedOf(operators, 'from'), recordedOf(operators, 'to')];
  const withSecrets = (objects: readonly KubeObject[]): readonly KubeObject[] => [
    ...objects,
    ...(webhooks?.secrets ?? []),
  ];
  const install = await timed(client, async () => {
    await pull?.();
    await Promise.all([records?.before(first, before), webhooks?.issue(before)]);
    await applyAll(floor, withSecrets(before));
    await records?.after(first);
  });
  const installed = withSecrets(before);
  await readCustomResources(stage, before);
  // A manager gets the next bundle long before it is asked to upgrade, so nothing is pulled here.
  const upgrade = await timed(client, async () => {
    await Promise.all([records?.before(second, changed), webhooks?.issue(after)]);
    await changeAll(floor, installed, withSecrets(after));
    await records?.after(second);
  });
  await readCustomResources(stage, after);
  await settleDown();
  const remove = (askAgain?: () => Promise<void>): Promise<void> => removeAll(floor, withSecrets(after), askAgain);
  const removal = await timed(client, () => records?.around(kindsDefinedBy(after), remove) ?? remove());
  return { install, upgrade, removal };
}

/** Operators that have one version only are not upgraded. */
function recordedOf(operators: readonly BenchOperator[], which: 'from' | 'to'): readonly Recorded[] {
  return operators
    .filter(({ from, to }) => which === 'from' || from.version !== to.version)
    .map((operator) => ({
      name: operator.name,
      version: operator[which].version,
      number: which === 'from' ? 1 : 2,
      objects: objectsOf(operator, operator[which]),
    }));
}

async function applyAll(floor: Floor, objects: readonly KubeObject[]): Promise<void> {
  const grouped = Map.groupBy(orderObjects(objects), ({ name }) => name);
  for (const name of PHASE_NAMES) {
    const members = (grouped.get(name) ?? []).flatMap((phase) => phase.objects);
    await each(members, (object) => applyOne(floor, object));
    await ready(floor, name, members);
    if (name === 'workloads') await floor.webhooks?.prove(objects);
  }
}

async function applyOne(floor: Floor, object: KubeObject): Promise<void> {
  const answer = await floor.client.apply(object, await resourceOf(floor, object));
  if (object.kind !== 'Deployment') return;
  const { generation = 0 } = (JSON.parse(answer) as KubeObject).metadata;
  floor.generations.set(keyOf(object.metadata), generation);
}

/** Sends the objects that differ, and deletes those that are no longer wanted. */
async function changeAll(floor: Floor, before: readonly KubeObject[], after: readonly KubeObject[]): Promise<void> {
  await applyAll(floor, changedIn(before, after));
  const kept = new Set(after.map((object) => identityOf(refOf(object))));
  await removeAll(
    floor,
    before.filter((object) => !kept.has(identityOf(refOf(object)))),
  );
}

function changedIn(before: readonly KubeObject[], after: readonly KubeObject[]): readonly KubeObject[] {
  const known = new Map(before.map((object) => [identityOf(refOf(object)), hashObject(object)]));
  return after.filter((object) => known.get(identityOf(refOf(object))) !== hashObject(object));
}

/** Workloads first, then the objects that they used, CRDs last; waits for objects whose deletion takes time. */
async function removeAll(
  floor: Floor,
  objects: readonly KubeObject[],
  beforeCrds: () => Promise<void> = async () => {},
): Promise<void> {
  const grouped = Map.groupBy(orderObjects(objects), ({ name }) => name);
  const order = [
    'customResources',
    'admission',
    'publish',
    'workloads',
    ...LAST,
  ] as const satisfies readonly PhaseName[];
  for (const name of order) {
    const members = (grouped.get(name) ?? []).flatMap((phase) => phase.objects);
    const propagation = name === 'workloads' ? 'Foreground' : 'Background';
    if (name === 'crds') await beforeCrds();
    await each(members, async (object) => {
      await floor.client.delete(object, await resourceOf(floor, object), propagation);
    });
    await gone(floor, name, members);
  }
}

const LAST = [
  'infrastructure',
  'configuration',
  'storage',
  'bindings',
  'roles',
  'identity',
  'policies',
  'crds',
] as const satisfies readonly PhaseName[];

async function each(objects: readonly KubeObject[], task: (object: KubeObject) => Promise<void>): Promise<void> {
  const slots = createSlots(FLOOR_CONNECTIONS);
  await Promise.all(objects.map((object) => slots(() => task(object))));
}

function resourceOf({ stage }: Floor, object: KubeObject): Promise<Resource> {
  return stage.admin.discovery.need(object);
}

function ready(floor: Floor, phase: PhaseName, objects: readonly KubeObject[]): Promise<void> {
  return settle(floor, phase, objects, (live) => {
    if (live === undefined) return false;
    const current = live.kind !== 'Deployment' || (live.metadata.generation ?? 0) >= generationOf(floor, live);
    return current && assessHealth(live).state === 'Ready';
  });
}

function generationOf({ generations }: Floor, { metadata }: KubeObject): number {
  return generations.get(keyOf(metadata)) ?? 0;
}

async function gone(floor: Floor, phase: PhaseName, objects: readonly KubeObject[]): Promise<void> {
  const poking = phase === 'crds' ? setInterval(() => void pokeStuck(floor, objects), POKE_MILLISECONDS) : undefined;
  try {
    await settle(floor, phase, objects, (live) => live === undefined);
  } finally {
    clearInterval(poking);
  }
}

/** The API server can forget a CRD that is being deleted until the CRD is written to; any installer has to wait so long. */
async function pokeStuck({ crds, stage }: Floor, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    const { metadata, status } = crds.get(keyOf(refOf(object))) ?? object;
    const conditions = listOf(fieldsOf(status)['conditions']);
    // a CRD that only waits for its turn would go back to the end of the queue
    if (!conditions.some(({ reason }) => reason === 'InstanceDeletionFailed')) continue;
    const annotations = { 'bench.example.com/poked': metadata.resourceVersion ?? '' };
    await stage.admin.patch(refOf(object), { metadata: { annotations } }).catch(() => {}); // gone in the meantime
  }
}

/** The pause of the product (apply/stuck-crds.ts), so that both wait equally long. */
const POKE_MILLISECONDS = 3000;

/** Waits for the kinds that take time; of the others the answer of the API server is all there is. */
async function settle(
  { crds, deployments }: Floor,
  phase: PhaseName,
  objects: readonly KubeObject[],
  isDone: (live: KubeObject | undefined) => boolean,
): Promise<void> {
  const informer = phase === 'crds' ? crds : phase === 'workloads' ? deployments : undefined;
  if (informer === undefined) return;
  const pending = new Set(objects.filter(({ kind }) => kind === informer.kind).map((object) => keyOf(refOf(object))));
  await whenNone(informer, pending, isDone);
}

/** Resolves when every object of the keys is done. */
export async function whenNone(
  informer: Informer,
  pending: Set<string>,
  isDone: (live: KubeObject | undefined) => boolean,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    for (const key of pending) if (isDone(informer.get(key))) pending.delete(key);
    if (pending.size === 0) resolve();
  };
  const off = informer.on({ added: look, updated: look, deleted: look });
  look();
  await promise.finally(off);
}

/** Key of an object in an informer. */
export function keyOf({ namespace, name }: Pick<ObjectRef, 'namespace' | 'name'>): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
