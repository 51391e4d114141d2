/** The requests of roll-outs that wait for their Deployments, while each change of a Deployment causes a reconcile. */
import { describe, expect, test } from 'vitest';
import { sampleDeployment } from '../../apply/testing/sample-objects.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import { settle } from '../../kube/testing/fake-controllers.ts';
import type { FakeRequest } from '../../kube/testing/fake-cluster.ts';
import { emptyMemory, RevisionMemories } from './memory.ts';
import { createHarness, NAMESPACE, type Harness } from './testing/harness.ts';

const deployment = {
  ...sampleDeployment('widget'),
  metadata: { ...sampleDeployment('widget').metadata, namespace: NAMESPACE },
};

/** A Deployment whose Pods do not start, and none has any trouble that its own status shows. */
function neverReady(object: KubeObject): KubeObject {
  if (object.kind !== 'Deployment') return settle(object);
  return { ...object, status: { observedGeneration: object.metadata.generation, replicas: 1, updatedReplicas: 1 } };
}

async function waiting(): Promise<Harness> {
  const harness = createHarness({ react: neverReady });
  await harness.addRevision(1, [deployment]);
  await harness.reconcile(1);
  const { name, uid = '' } = (await harness.cluster.get(refOf(deployment)))?.metadata ?? deployment.metadata;
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name, uid };
  harness.cluster.put({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: `${name}-1`, namespace: NAMESPACE, labels: { app: 'widget' }, ownerReferences: [owner] },
  });
  return harness;
}

/** The requests of reconciles, of which there is one each second, as the Deployment changes. */
async function requestsWithin(seconds: number, harness: Harness): Promise<readonly FakeRequest[]> {
  const before = harness.cluster.requests.length;
  for (let second = 0; second < seconds; second += 1) {
    harness.pass(1);
    harness.cluster.change(refOf(deployment), (object) => object);
    await harness.reconcile(1);
  }
  return harness.cluster.requests.slice(before);
}

const listsOf = (kind: string, requests: readonly FakeRequest[]): number =>
  requests.filter(({ verb, ref }) => verb === 'list' && ref.kind === kind).length;

describe('a roll-out that waits for its Deployment', () => {
  test.each([
    { seconds: 9, reads: 0, because: 'most Pods have started by then' },
    { seconds: 12, reads: 1, because: 'a cause is of use now' },
    { seconds: 38, reads: 1, because: 'the cause rarely changes' },
    { seconds: 45, reads: 2, because: 'the cause may have changed' },
  ])('reads the Pods $reads times within $seconds s, since $because', async ({ seconds, reads }) => {
    const requests = await requestsWithin(seconds, await waiting());
    expect([listsOf('Pod', requests), listsOf('ReplicaSet', requests)]).toEqual([reads, reads]);
  });

  test('reads no Deployment that its watch knows', async () => {
    const requests = await requestsWithin(45, await waiting());
    expect(requests.filter(({ verb, ref }) => verb === 'get' && ref.kind === 'Deployment')).toEqual([]);
  });

  test('reads its manifests once, and tries no object again', async () => {
    const requests = await requestsWithin(45, await waiting());
    expect(requests.filter(({ ref, dryRun }) => ref.kind === 'Secret' || dryRun)).toEqual([]);
  });

  test('writes its status no more often than every ten seconds', async () => {
    const requests = await requestsWithin(45, await waiting());
    expect(requests.filter(({ verb, ref }) => verb === 'patch' && ref.kind === 'Revision').length).toBeLessThanOrEqual(
      4,
    );
  });
});

describe('the objects of roll-outs', () => {
  const small = [sampleDeployment('widget')];
  const huge = [{ ...sampleDeployment('widget'), data: 'x'.repeat(13_000_000) }];

  test('stay in memory while hundreds of small ones wait', () => {
    const memories = new RevisionMemories();
    const all = Array.from({ length: 1000 }, () => emptyMemory());
    for (const memory of all) memories.keepObjects(memory, small);
    expect(all.filter(({ loaded }) => loaded === undefined)).toEqual([]);
  });

  test('leave the memory when the next ones are too large together, the oldest first', () => {
    const memories = new RevisionMemories();
    const [first, second] = [emptyMemory(), emptyMemory()];
    memories.keepObjects(first, huge);
    memories.keepObjects(second, huge);
    expect([first.loaded, second.loaded?.objects]).toEqual([undefined, huge]);
  });

  test('count once if they are loaded again', () => {
    const memories = new RevisionMemories();
    const [first, second] = [emptyMemory(), emptyMemory()];
    memories.keepObjects(first, small);
    for (let times = 0; times < 3; times += 1) memories.keepObjects(second, huge);
    expect(first.loaded?.objects).toEqual(small);
  });
});
