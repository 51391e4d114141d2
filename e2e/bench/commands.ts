/**
 * Measures the time of commands as a person waits for it, from the start of the process to its end: the released program, and
 * a cluster with many CRDs and Subscriptions. The middle of a few runs counts; the first, which fills the cache, does not.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createClient, type Client } from '../../kube/client/client.ts';
import { loadKubeconfig } from '../../kube/kubeconfig/kubeconfig.ts';
import { createTransport } from '../../kube/transport/transport.ts';
import { programFiles, PROGRAMS } from '../../scripts/build/programs.ts';
import { writeFiles } from '../../scripts/build/write-files.ts';
import { startCluster, type TestCluster } from '../cluster/cluster.ts';
import { installSlipway } from '../lib/manager.ts';
import { median } from './cost.ts';
import type { Row } from './budgets.ts';

const [CRDS, SUBSCRIPTIONS, RUNS] = [300, 100, 7];

/** Budgets in milliseconds. */
const MEASURED: readonly { readonly args: readonly string[]; readonly budget: number }[] = [
  { args: ['--help'], budget: 100 },
  { args: ['get', '-A'], budget: 300 },
  { args: ['status', 'many/operator-7'], budget: 300 },
];

export async function benchCommands(): Promise<readonly Row[]> {
  const cluster = await startCluster();
  try {
    await installSlipway(cluster, { policy: false });
    await fillCluster(cluster);
    const folder = join(cluster.folder, 'slipway');
    await writeFiles(folder, await programFiles('slipway', PROGRAMS['slipway']!));
    const rows: Row[] = [];
    for (const { args, budget } of MEASURED) {
      const measured = await timeOf(join(folder, 'slipway.js'), args, cluster);
      rows.push({ what: `slipway ${args.join(' ')}`, unit: 'ms', measured, budget });
    }
    return rows;
  } finally {
    await cluster.stop();
  }
}

async function timeOf(program: string, args: readonly string[], cluster: TestCluster): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run <= RUNS; run += 1) {
    const started = performance.now();
    await finish(program, args, cluster);
    if (run > 0) times.push(performance.now() - started);
  }
  return median(times) ?? Number.NaN;
}

function finish(program: string, args: readonly string[], { kubeconfig, folder }: TestCluster): Promise<void> {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    KUBECONFIG: kubeconfig,
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  return new Promise((done, fail) => {
    child.once('close', (code) => {
      if (code === 0) done();
      else fail(new Error(`slipway ${args.join(' ')} ended with ${code}: ${Buffer.concat(errors).toString()}`));
    });
  });
}

/** Many CRDs and Subscriptions, in the namespace `many`. */
export async function fillCluster(cluster: TestCluster): Promise<void> {
  const { config } = await loadKubeconfig(cluster.kubeconfig);
  const transport = createTransport(config, { userAgent: 'bench' });
  try {
    const admin = createClient(transport);
    await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'many' } });
    await each(CRDS, (number) => createCrd(admin, number));
    await each(SUBSCRIPTIONS, (number) => createSubscription(admin, number));
  } finally {
    transport.close();
  }
}

/** A few at a time. */
async function each(count: number, make: (number: number) => Promise<unknown>): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const number of numbers) await make(number);
    }),
  );
}

function createCrd(admin: Client, number: number): Promise<unknown> {
  const names = {
    kind: `Gadget${number}`,
    listKind: `Gadget${number}List`,
    plural: `gadget${number}s`,
    singular: `gadget${number}`,
  };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return admin.create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.bench.example` },
    spec: {
      group: 'bench.example',
      names,
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
}

function createSubscription(admin: Client, number: number): Promise<unknown> {
  return admin.create({
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Subscription',
    metadata: { name: `operator-${number}`, namespace: 'many' },
    spec: { package: `package-${number}`, version: '1.0.0' },
  });
}
