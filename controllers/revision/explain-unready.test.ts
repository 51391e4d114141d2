import { beforeEach, describe, expect, test } from 'vitest';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { sample, sampleDeployment } from '../../apply/testing/sample-objects.ts';
import type { Unready } from '../../apply/apply.ts';
import { ReasonedError } from '../../api/errors.ts';
import { refOf } from '../../api/object.ts';
import { explainUnready, patienceOf } from './explain-unready.ts';
import type { Judgement } from './judgement.ts';

const working: Judgement = { state: 'Working', reason: 'WorkloadUnhealthy', message: 'not available' };
const deployment = sampleDeployment('manager');
const notAvailable = (ref = refOf(deployment)): Unready => ({ ref, health: { state: 'Progressing', message: 'no' } });
let cluster: FakeCluster;

interface Situation {
  readonly judgement?: Judgement;
  readonly unready?: readonly Unready[];
  readonly workedSeconds?: number;
}

function explain({
  judgement = working,
  unready = [notAvailable()],
  workedSeconds = 60,
}: Situation): Promise<Judgement> {
  return explainUnready(cluster, judgement, {
    unready,
    observed: () => undefined,
    workedSeconds,
    deadlineSeconds: 600,
    read: () => Promise.resolve('the last line\n'),
    signal: new AbortController().signal,
  });
}

/** A Pod of the Deployment, whose container is in this state. */
function putPod(state: object): void {
  const uidOf = (kind: string): string => cluster.objects().find((one) => one.kind === kind)?.metadata.uid ?? '';
  const owned = (kind: string, name: string): object => ({
    name: name.toLowerCase(),
    namespace: 'ops',
    labels: { app: 'manager' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'manager', uid: uidOf(kind), controller: true }],
  });
  cluster.put({ ...sample('apps/v1', 'ReplicaSet', 'x'), metadata: owned('Deployment', 'manager-1') as never });
  cluster.put({
    ...sample('v1', 'Pod', 'x', {
      spec: { containers: [{ name: 'manager', image: 'registry.example/operator:1' }] },
      status: {
        phase: 'Pending',
        containerStatuses: [{ name: 'manager', restartCount: 0, image: 'registry.example/operator:1', ...state }],
      },
    }),
    metadata: owned('ReplicaSet', 'manager-1-x') as never,
  });
}

beforeEach(() => {
  cluster = createFakeCluster();
  cluster.put(sample('v1', 'Namespace', 'ops', { status: { phase: 'Active' } }));
  cluster.put(deployment);
});

test('there is no explanation if the account may not read Pods', async () => {
  const refused = new ReasonedError({ reason: 'Forbidden', retry: 'backoff', message: 'cannot list pods' });
  cluster = { ...cluster, list: () => Promise.reject(refused) };
  expect(await explain({})).toEqual(working);
});

test('the explanation names the failing Pod and container', async () => {
  putPod({ state: { waiting: { reason: 'ImagePullBackOff', message: 'not found' } } });
  const { message, ...rest } = await explain({});
  expect(rest).toEqual({ state: 'Working', reason: 'WorkloadUnhealthy' });
  expect(message).toMatch(
    /^Deployment\.apps ops\/manager: container manager of Pod manager-1-x .*registry\.example\/operator:1: not found/,
  );
});

describe('the judgement is unchanged, and nothing is read,', () => {
  const cases: readonly { given: Situation; because: string }[] = [
    { given: { judgement: { ...working, state: 'Ready' } }, because: 'all is well' },
    { given: { judgement: { ...working, state: 'Failed' } }, because: 'it was rejected, which has its own message' },
    { given: { workedSeconds: 9 }, because: 'Pods need a moment to start' },
    { given: { unready: [] }, because: 'no object is known to be unhealthy' },
    {
      given: { unready: [notAvailable({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: 'data' })] },
      because: 'Pods show nothing about a claim',
    },
  ];

  test.each(cases)('the judgement is unchanged, and nothing is read, if $because', async ({ given }) => {
    putPod({ state: { waiting: { reason: 'ImagePullBackOff', message: 'not found' } } });
    expect(await explain(given)).toBe(given.judgement ?? working);
    expect(cluster.requests).toEqual([]);
  });
});

test.each([
  { gone: true, because: 'the Deployment is gone' },
  { gone: false, because: 'its Pods have no trouble' },
])('the judgement is unchanged if $because', async ({ gone }) => {
  if (gone) await cluster.delete(refOf(deployment));
  expect(await explain({})).toBe(working);
});

test('the first Pods are read sooner if the deadline is short', () => {
  expect([patienceOf(600), patienceOf(2)]).toEqual([10, 1]);
});
