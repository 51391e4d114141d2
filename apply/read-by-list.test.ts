import { NEVER } from '../api/testing/never.ts';
import { expect, test } from 'vitest';
import { refOf } from '../api/object.ts';
import { actingAs, createFakeCluster, type FakeCluster, type FakeRequest } from '../kube/testing/fake-cluster.ts';
import { refusal } from '../api/testing/refusal.ts';
import { readByList } from './read-by-list.ts';
import { sample } from './testing/sample-objects.ts';
import { observeByPolling, waitUntilGone } from './wait.ts';

const pod = sample('v1', 'ConfigMap', 'a', { namespace: 'default' });

function limited(...verbs: readonly FakeRequest['verb'][]): [FakeCluster, FakeCluster] {
  const cluster = createFakeCluster();
  cluster.put(pod);
  cluster.put(sample('v1', 'ConfigMap', 'a', { namespace: 'other' }));
  return [cluster, readByList(actingAs(cluster, 'manager', ({ verb }) => verbs.includes(verb)))];
}

test('an object that may be listed but not read is read by a list of its namespace and name', async () => {
  const [cluster, listing] = limited('list');
  expect(await listing.get(refOf(pod))).toEqual(await cluster.get(refOf(pod)));
  expect(await listing.get({ ...refOf(pod), name: 'never' })).toBeUndefined();
});

test('an object that may be read is not listed', async () => {
  const [cluster, reading] = limited('get', 'list');
  await reading.get(refOf(pod));
  expect(cluster.requests.map(({ verb }) => verb)).toEqual(['get']);
});

test('if neither reading nor listing is allowed, the error is thrown', async () => {
  const [, blind] = limited();
  await expect(blind.get(refOf(pod))).rejects.toMatchObject({ reason: 'Forbidden' });
});

test('other errors are not treated as a missing right', async () => {
  const cluster = createFakeCluster({
    before: ({ verb }) => {
      if (verb === 'get') throw refusal(503, 'ServiceUnavailable', 'no');
    },
  });
  await expect(readByList(cluster).get(refOf(pod))).rejects.toMatchObject({ reason: 'ApiUnavailable' });
});

test('the absence of an object is found without the right to read it', async () => {
  const [cluster, listing] = limited('list');
  const waiting = waitUntilGone([refOf(pod)], {
    signal: NEVER,
    observe: observeByPolling(listing),
    deadlineSeconds: 5,
  });
  await cluster.delete(refOf(pod));
  expect(await waiting).toEqual([]);
});
