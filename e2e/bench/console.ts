/**
 * Measures the console of a cluster with 100 Subscriptions and 50 browsers: its memory, the time from a change in the cluster
 * to the events at all browsers, and the watches that the browsers cost the API server beyond those of the console itself.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REVISION_SPEC } from '../../api/crd/testing/rule-cases.ts';
import { API_VERSION } from '../../api/names.ts';
import { Browser } from '../../console/server/testing/browser.ts';
import { listen, type Listener } from '../../console/server/testing/event-source.ts';
import { createClient, type Client } from '../../kube/client/client.ts';
import { loadKubeconfig } from '../../kube/kubeconfig/kubeconfig.ts';
import { createTransport } from '../../kube/transport/transport.ts';
import { bundlePrograms } from '../../scripts/build/bundle.ts';
import { CONSOLE_OPTIONS, ENVIRONMENT, IMAGE_ENTRIES } from '../../scripts/build/manager-image.ts';
import { startCluster, type TestCluster } from '../cluster/cluster.ts';
import { startClusterConsole, type ClusterConsole } from '../console/cluster-console.ts';
import { installSlipway } from '../lib/manager.ts';
import type { Row } from './budgets.ts';
import { median } from './cost.ts';
import { usageOf } from './process-usage.ts';

const SUBSCRIPTIONS = 100;
const BROWSERS = 50;
const CHANGES = 20;
const BUDGET = { megabytes: 80, milliseconds: 300 };

export async function benchConsole(): Promise<readonly Row[]> {
  const cluster = await startCluster({ only: ['kube-apiserver'], registry: false, audit: true });
  try {
    await installSlipway(cluster);
    await fill(cluster);
    const running = await startBundled(cluster);
    const rows = await measure(cluster, running);
    await running.stop();
    return rows;
  } finally {
    await cluster.stop();
  }
}

/** Subscriptions with two Revisions each, which have an inventory as a usual operator has. */
async function fill(cluster: TestCluster): Promise<void> {
  await cluster.kubectl(['create', 'namespace', 'ops']);
  const names = Array.from({ length: SUBSCRIPTIONS }, (_, at) => `gadget-${at}`);
  const items = names.flatMap((name) => [
    { apiVersion: API_VERSION, kind: 'Subscription', metadata: { namespace: 'ops', name }, spec: { package: name } },
    ...[1, 2].map((number) => ({
      apiVersion: API_VERSION,
      kind: 'Revision',
      metadata: { namespace: 'ops', name: `${name}-${number}` },
      spec: {
        ...REVISION_SPEC,
        subscription: name,
        package: name,
        number,
        state: number === 2 ? 'Active' : 'Archived',
      },
    })),
  ]);
  await cluster.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}

/** As its image runs it: bundled, and with the options of Node from there. */
async function startBundled(cluster: TestCluster): Promise<ClusterConsole> {
  const folder = join(cluster.folder, 'console-program');
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of (await bundlePrograms(IMAGE_ENTRIES)).files) writeFileSync(join(folder, name), content);
  const env = { ...ENVIRONMENT, SLIPWAY_CONSOLE_LOGIN: 'token' };
  return startClusterConsole(cluster, env, [...CONSOLE_OPTIONS, join(folder, 'console.js')]);
}

async function measure(cluster: TestCluster, running: ClusterConsole): Promise<readonly Row[]> {
  const cookie = await logIn(cluster, running.address);
  const before = watchesIn(cluster);
  const streams = await Promise.all(
    Array.from({ length: BROWSERS }, () => listen(`${running.address}/api/live/overview`, { cookie })),
  );
  await Promise.all(streams.map((stream) => stream.until(({ event }) => event === 'view')));
  const times: number[] = [];
  const transport = createTransport((await loadKubeconfig(cluster.kubeconfig)).config);
  const admin = createClient(transport);
  for (let change = 0; change < CHANGES; change++) times.push(await timeOf(admin, streams, `message ${change}`));
  transport.close();
  const { peak, anonymous } = usageOf(running.pid);
  const watches = watchesIn(cluster) - before;
  for (const stream of streams) stream.close();
  const name = `console: ${BROWSERS} browsers, ${SUBSCRIPTIONS} Subscriptions`;
  return [
    { what: `${name}: peak memory`, unit: 'MB', measured: peak, budget: BUDGET.megabytes },
    { what: `${name}: memory of its own`, unit: 'MB', measured: anonymous },
    {
      what: `${name}: change to event`,
      unit: 'ms',
      measured: median(times) ?? Number.NaN,
      budget: BUDGET.milliseconds,
    },
    { what: `${name}: further watches`, unit: 'requests', measured: watches, budget: 0 },
  ];
}

async function logIn(cluster: TestCluster, address: string): Promise<string> {
  await cluster.kubectl(['-n', 'ops', 'create', 'serviceaccount', 'reader']);
  await cluster.kubectl(['create', 'clusterrolebinding', 'reader', '--clusterrole=cluster-admin', '--serviceaccount=ops:reader']); // prettier-ignore
  const token = (await cluster.kubectl(['-n', 'ops', 'create', 'token', 'reader'])).trim();
  const browser = new Browser(address);
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: address };
  await browser.send('/login/token', { method: 'POST', headers, body: new URLSearchParams({ token }).toString() });
  return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** Milliseconds from the request that makes the change to the event at the last browser. */
async function timeOf(admin: Client, streams: readonly Listener[], message: string): Promise<number> {
  const condition = { type: 'Ready', status: 'False', reason: 'Installing', message, lastTransitionTime: '2026-01-02T03:04:05Z' }; // prettier-ignore
  const status = { observedGeneration: 1, conditions: [condition] };
  const seen = streams.map((stream) => stream.until(({ data }) => JSON.stringify(data).includes(message)));
  const began = performance.now();
  await admin.patchStatus(
    { apiVersion: API_VERSION, kind: 'Subscription', namespace: 'ops', name: 'gadget-0' },
    { status },
  );
  const events = await Promise.all(seen);
  return Math.max(...events.map(({ at }) => at)) - began;
}

/** Watches that the console has asked for. */
function watchesIn(cluster: TestCluster): number {
  const lines = readFileSync(join(cluster.folder, 'audit.jsonl'), 'utf8').split('\n');
  return lines.filter((line) => line.includes('"verb":"watch"') && line.includes('slipway-console')).length;
}
