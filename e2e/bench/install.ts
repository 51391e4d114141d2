/**
 * Measures the product: Subscriptions applied, until all are Ready; their versions raised, until all are Ready with
 * the new ones; deleted, until all are gone. Time by the clock, requests from the API server's audit log, memory and
 * processor time of the manager's process from the kernel.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { refOf, type KubeObject } from '../../api/object.ts';
import { API_VERSION } from '../../api/names.ts';
import { SUBSCRIPTION } from '../../api/subscription.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import type { RunningManager } from '../lib/manager.ts';
import { isReady, type Judged } from '../lib/objects.ts';
import { until } from '../lib/until.ts';
import { isLease, readAudit, tally, within, type AuditedRequest, type Span } from './audit-log.ts';
import type { Cost } from './cost.ts';
import { readCustomResources } from './custom-resources.ts';
import { keyOf, whenNone } from './floor.ts';
import { objectsOf, type BenchOperator } from './operators.ts';
import { chainOf, formatChain } from './request-chain.ts';
import { usageOf, type Usage } from './process-usage.ts';
import { ACTOR, publishAll, settleDown, startMeasured, type Stage } from './stage.ts';

export interface InstallRun {
  readonly install: Cost;
  readonly upgrade: Cost;
  readonly removal: Cost;
  readonly idle?: Idleness;
  /** Seconds until a Deployment that was deleted is there again. */
  readonly repairSeconds?: number;
  /** Requests of the installation by kind, the most frequent first. */
  readonly requests: readonly string[];
  /** The requests of each operation in their order, as text; see request-chain.ts. */
  readonly chains: readonly string[];
}

export interface Product {
  readonly stage: Stage;
  readonly manager: RunningManager;
  readonly subscriptions: Informer;
}

export interface InstallOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Of Node, in place of those in the image. */
  readonly nodeOptions?: readonly string[];
  /** Idle seconds once all is installed, to measure the manager during them. */
  readonly idleSeconds?: number;
  /** Whether a Deployment is deleted, to see when it is back. */
  readonly repair?: boolean;
}

/** What the manager does while nothing happens. */
export interface Idleness {
  readonly requestsPerMinute: number;
  /** Renewals of the leader's lease, whose number does not depend on the installed operators. */
  readonly renewalsPerMinute: number;
  /** Of one processor. */
  readonly cpuPercent: number;
  /** Resident megabytes. */
  readonly memory: number;
}

interface Lap {
  readonly span: Span;
  readonly seconds: number;
  readonly before: Usage;
  readonly after: Usage;
}

/** An upgrade is requested long after the installation: all next bundles are prepared by then, if they will be. */
const UPGRADED_AFTER_MS = 15_000;

/** Installs, upgrades and removes the operators together, in the stage's cluster. */
export async function runProduct(
  stage: Stage,
  operators: readonly BenchOperator[],
  options: InstallOptions = {},
): Promise<InstallRun> {
  const { idleSeconds = 0, repair = false } = options;
  const product = await startProduct(stage, operators, options);
  const { manager } = product;
  const lap = (work: () => Promise<void>): Promise<Lap> => measureLap(manager, work);
  const install = await lap(() => installAll(product, operators, 'from'));
  await readCustomResources(
    stage,
    operators.flatMap((operator) => objectsOf(operator, operator.from)),
  );
  const repairSeconds = repair ? await deleteOneDeployment(product, operators) : undefined;
  await pause(UPGRADED_AFTER_MS);
  const idle = await lap(() => pause(idleSeconds * 1000));
  const upgrade = await lap(() => upgradeAll(product, operators));
  await readCustomResources(
    stage,
    operators.flatMap((operator) => objectsOf(operator, operator.to)),
  );
  await settleDown();
  const removal = await lap(() => removeAll(product, operators));
  await manager.stop();
  const audited = readAudit(stage.cluster.folder, `system:serviceaccount:${ACTOR.namespace}:${ACTOR.name}`);
  const requestsIn = ({ span }: Lap): typeof audited => within(audited, span).filter((each) => !isLease(each));
  const costOf = (each: Lap): Cost => ({
    seconds: each.seconds,
    requests: requestsIn(each).length,
    memory: each.after.peak,
    cpu: each.after.cpu - each.before.cpu,
  });
  return {
    install: costOf(install),
    upgrade: costOf(upgrade),
    removal: costOf(removal),
    requests: tally(requestsIn(install)),
    chains: Object.entries({ install, upgrade, removal }).map(([title, one]) =>
      formatChain(title, chainOf(requestsIn(one)), one.span),
    ),
    ...(repairSeconds !== undefined && { repairSeconds }),
    ...(idleSeconds > 0 && { idle: idlenessOf(idle, within(audited, idle.span)) }),
  };
}

function idlenessOf({ seconds, before, after }: Lap, requests: readonly AuditedRequest[]): Idleness {
  const perMinute = (count: number): number => (count * 60) / seconds;
  return {
    requestsPerMinute: perMinute(requests.filter((each) => !isLease(each)).length),
    renewalsPerMinute: perMinute(requests.filter(isLease).length),
    cpuPercent: ((after.cpu - before.cpu) / seconds) * 100,
    memory: after.resident,
  };
}

/** Seconds from the moment when a Deployment is gone until another one is there. */
async function deleteOneDeployment(
  { stage }: Product,
  [operator]: readonly BenchOperator[],
): Promise<number | undefined> {
  const kind = { apiVersion: 'apps/v1', kind: 'Deployment' };
  const deployments = await stage.follow(kind);
  const victim = deployments.list(operator?.name)[0];
  if (victim === undefined) return undefined;
  // What an installation sets going should be over before something new is.
  await pause(3000);
  const { promise, resolve } = Promise.withResolvers<number>();
  let goneAt = 0;
  const isVictim = ({ metadata }: KubeObject): boolean => keyOf(metadata) === keyOf(victim.metadata);
  const off = deployments.on({
    deleted: (object) => void (isVictim(object) && (goneAt = performance.now())),
    added: (object) => void (isVictim(object) && goneAt > 0 && resolve((performance.now() - goneAt) / 1000)),
  });
  await stage.admin.delete(refOf(victim));
  return promise.finally(off);
}

/** Publishes, starts the manager and lets it install, upgrade and remove something, so that it is warm. */
async function startProduct(
  stage: Stage,
  operators: readonly BenchOperator[],
  options: InstallOptions,
): Promise<Product> {
  const product = await startServing(stage, operators, options);
  await installAll(product, [stage.warmUp], 'from');
  await upgradeAll(product, [stage.warmUp]);
  await settleDown();
  await removeAll(product, [stage.warmUp]);
  return product;
}

/** Publishes, and starts the manager with a catalog of it all; nothing is installed. */
export async function startServing(
  stage: Stage,
  operators: readonly BenchOperator[],
  { env = {}, nodeOptions }: InstallOptions = {},
): Promise<Product> {
  const image = await publishAll(stage, [stage.warmUp, ...operators]);
  const manager = await startMeasured(stage, env, nodeOptions);
  const subscriptions = await stage.follow({ apiVersion: API_VERSION, kind: SUBSCRIPTION.kind });
  const product = { stage, manager, subscriptions };
  await stage.admin.create({
    apiVersion: API_VERSION,
    kind: 'Catalog',
    metadata: { name: 'bench' },
    spec: { source: { image: { ref: image } } },
  });
  const catalog = { apiVersion: API_VERSION, kind: 'Catalog', name: 'bench' };
  await until('the catalog is served', async () => isReady((await stage.admin.get(catalog)) as unknown as Judged));
  return product;
}

async function measureLap(manager: RunningManager, work: () => Promise<void>): Promise<Lap> {
  const before = usageOf(manager.pid);
  const [from, start] = [Date.now(), performance.now()];
  await work();
  const seconds = (performance.now() - start) / 1000;
  const to = Date.now();
  return { span: { from, to }, seconds, before, after: usageOf(manager.pid) };
}

/** Applies a Subscription for each, all at once, and waits until all are Ready. */
export async function installAll(
  { stage, subscriptions }: Product,
  operators: readonly BenchOperator[],
  which: 'from' | 'to',
): Promise<void> {
  const wanted = new Map(operators.map((operator) => [keyOf(refTo(operator)), operator[which].version]));
  await Promise.all(operators.map((operator) => stage.admin.create(subscriptionTo(operator, operator[which].version))));
  await whenNone(subscriptions, new Set(wanted.keys()), (live) => runs(live, wanted));
}

async function upgradeAll({ stage, subscriptions }: Product, operators: readonly BenchOperator[]): Promise<void> {
  const changing = operators.filter(({ from, to }) => from.version !== to.version);
  const wanted = new Map(changing.map((operator) => [keyOf(refTo(operator)), operator.to.version]));
  await Promise.all(
    changing.map((operator) => stage.admin.patch(refTo(operator), { spec: { version: operator.to.version } })),
  );
  await whenNone(subscriptions, new Set(wanted.keys()), (live) => runs(live, wanted));
}

async function removeAll({ stage, subscriptions }: Product, operators: readonly BenchOperator[]): Promise<void> {
  await Promise.all(operators.map((operator) => stage.admin.delete(refTo(operator))));
  const keys = operators.map((operator) => keyOf(refTo(operator)));
  await whenNone(subscriptions, new Set(keys), (live) => live === undefined);
}

function runs(live: KubeObject | undefined, wanted: ReadonlyMap<string, string>): boolean {
  const judged = live as Judged | undefined;
  if (judged === undefined || live === undefined) return false;
  return isReady(judged) && judged.status?.installed?.version === wanted.get(keyOf(live.metadata));
}

function refTo({ name }: BenchOperator): { apiVersion: string; kind: string; namespace: string; name: string } {
  return { apiVersion: API_VERSION, kind: SUBSCRIPTION.kind, namespace: name, name };
}

function subscriptionTo(operator: BenchOperator, version: string): KubeObject {
  const { apiVersion, kind, namespace, name } = refTo(operator);
  const spec = { package: name, version, dependencies: 'Ignore', onFailure: { bakeTime: '0s' } };
  return { apiVersion, kind, metadata: { namespace, name }, spec };
}
