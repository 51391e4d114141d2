import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { useCluster } from '../../e2e/lib/cluster.ts';
import { createClient, type Client } from '../client/client.ts';
import { eventually } from '../testing/eventually.ts';
import { loadKubeconfig } from '../kubeconfig/kubeconfig.ts';
import type { HolderSettings } from '../testing/lease-holder.ts';
import { createTransport, type Transport } from '../transport/transport.ts';

const cluster = useCluster();
/** A machine with much other work may keep a leader from its turn for seconds: that one would lose the lease. */
const TIMINGS = { leaseSeconds: 8, renewSeconds: 6, retrySeconds: 0.4 };

let transport: Transport;
let client: Client;
const children: ChildProcess[] = [];

beforeAll(async () => {
  transport = createTransport((await loadKubeconfig(cluster().kubeconfig)).config);
  client = createClient(transport);
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

afterAll(() => transport.close());

interface Holder {
  readonly child: ChildProcess;
  /** The lines that it printed so far. */
  readonly words: string[];
}

function startHolder(identity: string): Holder {
  const settings: HolderSettings = { kubeconfig: cluster().kubeconfig, identity, timings: TIMINGS };
  const program = join(import.meta.dirname, '../testing/lease-holder.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const words: string[] = [];
  child.stdout.on('data', (data: Buffer) => words.push(...data.toString().trim().split('\n')));
  children.push(child);
  return { child, words };
}

const written = async (name: string): Promise<string | undefined> =>
  (await client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name }))?.metadata.resourceVersion;

test('a paused leader is replaced, and when it resumes it writes nothing and reports the loss', async () => {
  const paused = startHolder('paused');
  await eventually(() => paused.words.includes('written'));
  const next = startHolder('next');
  paused.child.kill('SIGUSR2');
  await eventually(() => next.words.includes('written'));
  const before = await written('paused');
  paused.child.kill('SIGCONT');
  await eventually(() => paused.words.includes('lost'));
  expect(await written('paused')).toBe(before);
  expect(next.words.includes('lost')).toBe(false);
});

test('a leader that is asked to stop hands over at once', async () => {
  await client.delete({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'default', name: 'paused' });
  const first = startHolder('polite');
  await eventually(() => first.words.includes('written'));
  const next = startHolder('heir');
  first.child.kill('SIGTERM');
  await eventually(() => first.words.includes('released'));
  await eventually(() => next.words.includes('leading'));
});
