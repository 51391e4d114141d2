/** Objects that other users make large and numerous: of each list only the parts that are read stay in memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { createFakeCluster, type FakeCluster } from '../kube/testing/fake-cluster.ts';
import { NAMES_ONLY } from './custom-resources.ts';
import { listPodEvents, listPods, listReplicaSets, listRollOut } from './list-pods.ts';
import { beginningOf } from './short-text.ts';
import { sample, sampleDeployment } from './testing/sample-objects.ts';

const signal = new AbortController().signal;
const NAMESPACE = 'ops';
const LONG = 'x'.repeat(20_000);
const many = <Item>(item: Item): readonly Item[] => Array.from({ length: 200 }, () => item);

/** An object with as much as its author can put into it. */
function largeObject(apiVersion: string, kind: string, name: string, more: object = {}): KubeObject {
  return {
    ...sample(apiVersion, kind, name, {
      spec: { containers: many({ name: 'c', env: many({ name: 'E', value: 'v' }) }), template: { a: LONG } },
      ...more,
    }),
    metadata: {
      name,
      namespace: NAMESPACE,
      labels: { app: 'widget', more: LONG },
      annotations: { note: LONG, 'slipway.dev/owner': LONG },
      finalizers: many(`example.com/${LONG.slice(0, 300)}`),
      ownerReferences: many({ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: LONG.slice(0, 300) }),
    },
  };
}

const podStatus = { message: LONG, containerStatuses: many({ name: 'c', state: { waiting: { message: LONG } } }) };
const where = { namespace: NAMESPACE, labelSelector: 'app=widget' };

interface LargeList {
  readonly kind: string;
  readonly object: KubeObject;
  readonly list: (cluster: FakeCluster) => Promise<readonly KubeObject[]>;
  /** Characters of the kept parts. */
  readonly most?: number;
}

test.each<LargeList>([
  {
    kind: 'Pods',
    object: largeObject('v1', 'Pod', 'p', { status: podStatus }),
    list: (cluster) => listPods(cluster, where, signal),
  },
  {
    kind: 'ReplicaSets',
    object: largeObject('apps/v1', 'ReplicaSet', 'r', { status: { conditions: many({ message: LONG }) } }),
    list: (cluster) => listReplicaSets(cluster, where, signal),
  },
  {
    kind: 'events',
    object: largeObject('events.k8s.io/v1', 'Event', 'e', {
      regarding: { kind: 'Pod', name: 'p', fieldPath: LONG },
      note: LONG,
      related: { name: LONG },
    }),
    list: (cluster) => listPodEvents(cluster, { namespace: NAMESPACE, pod: 'p' }, signal),
  },
  {
    kind: 'ConfigMaps, of which the names matter',
    object: largeObject('v1', 'ConfigMap', 'c'),
    list: (cluster) => cluster.list({ apiVersion: 'v1', kind: 'ConfigMap' }, NAMES_ONLY, signal),
    most: 20_000,
  },
])('a large object of a list keeps few bytes: $kind', async ({ object, list, most = 300_000 }) => {
  const cluster = createFakeCluster();
  cluster.put(object);
  const [kept] = await list(cluster);
  expect(kept?.metadata.name).toBe(object.metadata.name);
  expect(JSON.stringify(kept).length).toBeLessThan(most);
  expect(JSON.stringify(object).length).toBeGreaterThan(500_000);
});

test('only the first of very many Pods are listed', async () => {
  const cluster = createFakeCluster();
  for (let number = 0; number < 620; number += 1) cluster.put(podOf(`p${number}`, {}));
  expect(await listPods(cluster, where, signal)).toHaveLength(500);
});

function podOf(name: string, labels: object): KubeObject {
  const pod = sample('v1', 'Pod', name, { spec: { containers: [] } });
  return { ...pod, metadata: { ...pod.metadata, namespace: NAMESPACE, labels: { app: 'widget', ...labels } } };
}

test('of a Deployment the Pods of its newest ReplicaSet are listed, and none before it has one', async () => {
  const cluster = createFakeCluster();
  const deployment = cluster.put(sampleDeployment('widget'));
  const read = () => listRollOut(cluster, deployment, { labelSelector: 'app=widget', signal });
  cluster.put(podOf('old', { 'pod-template-hash': 'old' }));
  cluster.put(podOf('new', { 'pod-template-hash': 'new' }));
  expect(await read()).toEqual({ replicaSets: [], pods: [] });
  for (const [hash, revision] of [
    ['new', '10'],
    ['old', '9'],
  ] as const)
    // prettier-ignore
    cluster.put({
      ...sample('apps/v1', 'ReplicaSet', hash),
      metadata: {
        name: hash,
        namespace: NAMESPACE,
        labels: { app: 'widget', 'pod-template-hash': hash },
        annotations: { 'deployment.kubernetes.io/revision': revision },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'widget', uid: deployment.metadata.uid ?? '' }],
      },
    });
  const { replicaSets, pods } = await read();
  expect([replicaSets.length, pods.map(({ metadata }) => metadata.name)]).toEqual([2, ['new']]);
});

test('the beginning of a text does not hold the whole text in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const mebibytes = (): number => process.memoryUsage().heapUsed / 1024 / 1024;
  collect();
  const before = mebibytes();
  const kept = Array.from({ length: 20 }, (_, number) => beginningOf(JSON.parse(`"${number}${'x'.repeat(1024 * 1024)}"`) as string)); // prettier-ignore
  collect();
  expect(mebibytes() - before).toBeLessThan(10);
  expect(kept.every((text) => text.length === 4096)).toBe(true);
});
