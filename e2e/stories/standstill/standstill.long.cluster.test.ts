/**
 * Two replicas while the machine has no time for them: the one that leads or the API server stands still, or both get
 * a small part of the processor. Afterwards one leads, and everything that was asked meanwhile is answered.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANNOTATION } from '../../../api/names.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, isReady, list, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { startReplicas, type Replicas } from './replicas.ts';

const CATALOG = 'tiny';
/** Subscriptions that are made in each round, each of an operator of its own in a namespace of its own. */
const SIZE = 3;
/** Longer than a leader may go on without renewing its lease. */
const STANDSTILL_MS = 11_000;
const STARVED_MS = 6000;

const cluster = useCluster({ only: ['kube-apiserver', 'kube-controller-manager', 'registry'] });
let replicas: Replicas;

beforeAll(async () => {
  await installSlipway(cluster());
  await publish();
  replicas = await startReplicas(cluster());
  await apply([JSON.parse(catalogOf(CATALOG, `${cluster().registry}/catalog:latest`)) as object]);
  await waitFor(cluster(), { kind: 'catalog', name: CATALOG }, isReady);
});

afterAll(async () => replicas?.stop());

interface Disturbance {
  readonly what: string;
  /** @param leader Its process. */
  readonly disturb: (leader: number) => Promise<void>;
  /** Whether nothing can be asked while it lasts. */
  readonly mute?: boolean;
}

const DISTURBANCES: readonly Disturbance[] = [
  { what: 'leader and API server get a tenth of the processor', disturb: (leader) => starve([leader, apiServer()]) },
  { what: 'the leader stands still', disturb: (leader) => standStill(leader) },
  { what: 'the API server stands still', disturb: () => standStill(apiServer()), mute: true },
];

describe.each(DISTURBANCES)('while $what', ({ what, disturb, mute }) => {
  const round = DISTURBANCES.findIndex((one) => one.what === what);

  test('nothing that is asked is forgotten', async () => {
    const leader = await replicas.leader();
    const asked = String(Date.now());
    if (mute === true) await ask(round, asked);
    const disturbed = disturb(leader.pid);
    if (mute !== true) await ask(round, asked);
    await disturbed;
    await until('all is answered', async () => (await unanswered(asked)).length === 0, {
      explain: async () => [...(await unanswered(asked)), ...replicas.running().map(lastLines)].join('\n'),
    });
    await replicas.leader();
  });
});

test('each replica that has lost the lead has ended, with the exit code for that', () => {
  expect(replicas.ended.length).toBeGreaterThan(0);
  expect(new Set(replicas.ended)).toEqual(new Set([1]));
});

async function publish(): Promise<void> {
  const { registry } = cluster();
  const names = DISTURBANCES.flatMap((_, round) => namesOf(round));
  const packages = names.map(async (name) => {
    const image = await publishTiny(registry, { name, version: '1.0.0' });
    return packageDocuments(name, [{ version: '1.0.0', image }]);
  });
  await publishCatalog((await Promise.all(packages)).flat(), `${registry}/catalog:latest`);
}

function namesOf(round: number): readonly string[] {
  return Array.from({ length: SIZE }, (_, at) => `tiny-${round}-${at}`);
}

function lastLines(manager: RunningManager): string {
  return manager.log().split('\n').slice(-30).join('\n');
}

function apiServer(): number {
  return cluster().processes().get('kube-apiserver') as number;
}

async function standStill(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await pause(STANDSTILL_MS).finally(() => process.kill(pid, 'SIGCONT'));
}

async function starve(pids: readonly number[]): Promise<void> {
  for (let passed = 0; passed < STARVED_MS; passed += 300) {
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    await pause(270);
    for (const pid of pids) process.kill(pid, 'SIGCONT');
    await pause(30);
  }
}

/** Makes Subscriptions, and requests a reconcile of every object. */
async function ask(round: number, requestedAt: string): Promise<void> {
  const names = namesOf(round);
  await apply(names.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  await apply(names.map((name) => JSON.parse(subscriptionTo(name, name, { package: name })) as object));
  const annotation = `${ANNOTATION.reconcileRequestedAt}=${requestedAt}`;
  await cluster().kubectl(['annotate', 'catalogs,subscriptions', '-A', '--all', '--overwrite', annotation]);
}

async function apply(items: readonly object[]): Promise<void> {
  await cluster().kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}

/** What has no status, or one from before it was asked. */
async function unanswered(requestedAt: string): Promise<readonly string[]> {
  const ours = [...(await list(cluster(), 'catalog')), ...(await list(cluster(), 'subscription'))];
  return ours
    .filter((one) => one.status?.['lastHandledReconcileAt'] !== requestedAt || condition(one, 'Ready') === undefined)
    .map(({ metadata, status }) => `${metadata.name}: ${JSON.stringify(status)}`);
}
