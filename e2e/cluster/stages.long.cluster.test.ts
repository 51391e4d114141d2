import { expect, test } from 'vitest';
import { useCluster } from '../lib/cluster.ts';
import { until } from '../lib/until.ts';

const cluster = useCluster();

test.each([
  { kind: 'crash', reason: 'CrashLoopBackOff', because: 'the container ends again and again' },
  { kind: 'image-missing', reason: 'ImagePullBackOff', because: 'the image cannot be pulled' },
])('a Pod that is to $kind waits with $reason and never makes its Deployment available', async ({ kind, reason }) => {
  await deploy(kind);
  await until(`${kind} waits`, async () => (await waiting(kind)) === reason);
  expect(await available(kind)).toBe(false);
});

test('a container that crashes counts its restarts and has its exit code', async () => {
  await deploy('crash', 'crash-counted');
  const restarts = async (): Promise<number> => (await container('crash-counted'))?.restartCount ?? 0;
  await until('it has been restarted twice', async () => (await restarts()) >= 2);
  expect(await container('crash-counted')).toMatchObject({ ready: false, lastState: { terminated: { exitCode: 1 } } });
});

test('a Pod that is never ready runs, but its Deployment is not available', async () => {
  await deploy('never-ready');
  await until('it runs', async () => (await podStatus('never-ready'))?.phase === 'Running');
  expect(await available('never-ready')).toBe(false);
});

test('a slow Pod becomes ready after the time of its annotation', async () => {
  await deploy('slow', 'slow', '2s');
  await cluster().kubectl(['rollout', 'status', 'deployment/slow', '--timeout=180s']);
  const { metadata, status } = (await pod('slow'))!;
  const ready = status.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? '';
  expect(Date.parse(ready) - Date.parse(metadata.creationTimestamp)).toBeGreaterThanOrEqual(2000);
});

test('a Deployment that fails is available once its Pods are allowed to work', async () => {
  await deploy('crash', 'mended');
  await until('it crashes', async () => (await waiting('mended')) === 'CrashLoopBackOff');
  await deploy('none', 'mended');
  await cluster().kubectl(['rollout', 'status', 'deployment/mended', '--timeout=180s']);
});

test.each(['crash', 'never-ready', 'image-missing'])(
  'a Pod of the stage %s disappears when it is deleted',
  async (kind) => {
    await cluster().kubectl(['delete', 'deployment', kind]);
    await cluster().kubectl(['wait', '--for=delete', 'pods', '-l', `app=${kind}`, '--timeout=180s']);
  },
);

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

interface Pod {
  readonly metadata: { readonly creationTimestamp: string };
  readonly status: PodStatus;
}

interface PodStatus {
  readonly phase: string;
  readonly conditions?: readonly { readonly type: string; readonly lastTransitionTime: string }[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

interface ContainerStatus {
  readonly ready: boolean;
  readonly restartCount: number;
  readonly state: { readonly waiting?: { readonly reason: string } };
}

/** The only Pod, once there is one. */
async function pod(app: string): Promise<Pod | undefined> {
  const pods = (await cluster().read(`/api/v1/namespaces/default/pods?labelSelector=app=${app}`)) as unknown as Pods;
  return pods.items[0];
}

interface Pods {
  readonly items: readonly Pod[];
}

async function podStatus(app: string): Promise<PodStatus | undefined> {
  return (await pod(app))?.status;
}

async function container(app: string): Promise<ContainerStatus | undefined> {
  return (await podStatus(app))?.containerStatuses?.[0];
}

async function waiting(app: string): Promise<string | undefined> {
  return (await container(app))?.state.waiting?.reason;
}

async function available(name: string): Promise<boolean> {
  const path = 'jsonpath={.status.conditions[?(@.type=="Available")].status}';
  return (await cluster().kubectl(['get', 'deployment', name, '-o', path])) === 'True';
}
