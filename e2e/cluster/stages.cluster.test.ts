import { expect, test } from 'vitest';
import { useCluster } from '../lib/cluster.ts';
import { until } from './testdata/until.ts';

const cluster = useCluster();

test.each([
  { kind: 'crash', reason: 'CrashLoopBackOff', because: 'the container ends again and again' },
  { kind: 'image-missing', reason: 'ImagePullBackOff', because: 'the image cannot be pulled' },
])('a Pod that is to $kind waits with $reason and never makes its Deployment available', async ({ kind, reason }) => {
  await deploy(kind);
  await until(async () => (await waiting(kind)) === reason);
  expect(await available(kind)).toBe(false);
});

test('a container that crashes counts its restarts and says how it ended', async () => {
  await deploy('crash', 'crash-counted');
  await until(async () => Number(await field('crash-counted', 'restartCount')) >= 2);
  expect(await field('crash-counted', 'lastState.terminated.exitCode')).toBe('1');
  expect(await field('crash-counted', 'ready')).toBe('false');
});

test('a Pod that is never ready runs, but its Deployment is not available', async () => {
  await deploy('never-ready');
  await until(async () => (await phase('never-ready')) === 'Running');
  expect(await available('never-ready')).toBe(false);
});

test('a slow Pod takes the time that its annotation says, and is ready then', async () => {
  await deploy('slow', 'slow', '1s');
  await until(async () => (await waiting('slow')) === 'ContainerCreating');
  await cluster().kubectl(['rollout', 'status', 'deployment/slow', '--timeout=60s']);
});

test('a Deployment that fails is available once its Pods are allowed to work', async () => {
  await deploy('crash', 'mended');
  await until(async () => (await waiting('mended')) === 'CrashLoopBackOff');
  await deploy('none', 'mended');
  await cluster().kubectl(['rollout', 'status', 'deployment/mended', '--timeout=60s']);
});

test.each(['crash', 'never-ready', 'image-missing'])('a Pod that is to %s goes away when deleted', async (kind) => {
  await cluster().kubectl(['delete', 'deployment', kind]);
  await cluster().kubectl(['wait', '--for=delete', 'pods', '-l', `app=${kind}`, '--timeout=60s']);
});

async function deploy(kind: string, name = kind, delay = '1s'): Promise<void> {
  const labels = { app: name, 'slipway.dev/test-pod': kind };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels, annotations: { 'slipway.dev/test-delay': delay } },
        spec: { containers: [{ name: 'main', image: 'example/main:1' }] },
      },
    },
  };
  await cluster().kubectl(['apply', '-f', '-'], JSON.stringify(deployment));
}

/** A field of the first container's status in the first Pod. */
function field(app: string, path: string): Promise<string> {
  return podField(app, `status.containerStatuses[0].${path}`);
}

function waiting(app: string): Promise<string> {
  return field(app, 'state.waiting.reason');
}

function phase(app: string): Promise<string> {
  return podField(app, 'status.phase');
}

function podField(app: string, path: string): Promise<string> {
  return cluster().kubectl(['get', 'pods', '-l', `app=${app}`, '-o', `jsonpath={.items[*].${path}}`]);
}

async function available(name: string): Promise<boolean> {
  const path = 'jsonpath={.status.conditions[?(@.type=="Available")].status}';
  return (await cluster().kubectl(['get', 'deployment', name, '-o', path])) === 'True';
}
