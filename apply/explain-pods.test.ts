import type { Fields } from '../api/untyped.ts';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { explainPods, type PodProblem } from './explain-pods.ts';
import { sampleDeployment } from './testing/sample-objects.ts';

const deployment = { ...sampleDeployment('op'), metadata: { name: 'op', namespace: 'ops', uid: 'd' } };
const replicaSet = (uid: string, revision: number, status: Fields = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    name: `op-${uid}`,
    uid,
    annotations: { 'deployment.kubernetes.io/revision': `${revision}` },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'op', uid: 'd' }],
  },
  status,
});
const pod = (status: Fields, { name = 'op-1', owner = 'new' } = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    uid: `uid-${name}`,
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: owner }],
  },
  status,
});
const container = (fields: Fields): Fields => ({
  phase: 'Running',
  containerStatuses: [{ name: 'manager', image: 'registry.example/op:2', restartCount: 0, ready: false, ...fields }],
});
const waiting = (reason: string, message = ''): Fields => ({ state: { waiting: { reason, message } } });
const event = (reason: string, note: string, time = '2026-01-01T00:00:00Z'): KubeObject => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: `e-${time}` },
  regarding: { uid: 'uid-op-1' },
  reason,
  note,
  eventTime: time,
});
const explain = (pods: readonly KubeObject[], events: readonly KubeObject[] = [], status: Fields = {}): PodProblem[] =>
  explainPods(deployment, { replicaSets: [replicaSet('new', 2, status), replicaSet('old', 1)], pods, events });

describe('why a Deployment is not healthy', () => {
  const crashed = { terminated: { exitCode: 3, reason: 'Error', message: 'panic: no widget' } };
  test.each<{
    status: Fields;
    events?: readonly KubeObject[];
    kind: PodProblem['kind'];
    says: string;
  }>([
    {
      status: container({ ...waiting('CrashLoopBackOff'), lastState: crashed, restartCount: 4 }),
      kind: 'CrashLooping',
      says: 'container manager of Pod op-1 crashes: exit code 3, restarted 4 times: panic: no widget',
    },
    {
      status: container({
        state: { running: {} },
        lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
        restartCount: 1,
      }),
      kind: 'CrashLooping',
      says: 'exit code 137 (OOMKilled), restarted 1 time',
    },
    {
      status: container({
        ...waiting('CrashLoopBackOff'),
        lastState: { terminated: { exitCode: 0 } },
        restartCount: 2,
      }),
      kind: 'CrashLooping',
      says: 'it ends as soon as it has started',
    },
    {
      status: container(waiting('ImagePullBackOff', 'not found')),
      kind: 'ImagePull',
      says: 'cannot pull registry.example/op:2: not found',
    },
    {
      status: container(waiting('CreateContainerConfigError', 'secret "s" not found')),
      kind: 'BadConfiguration',
      says: 'secret "s" not found',
    },
    {
      status: container({ state: { running: {} } }),
      events: [event('Unhealthy', 'Readiness probe failed: 503', '2026-01-01T00:00:02Z'), event('Unhealthy', 'older')],
      kind: 'NotReady',
      says: 'runs and is not ready: Readiness probe failed: 503',
    },
    {
      status: {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes: Insufficient cpu' }],
      },
      kind: 'Unschedulable',
      says: '0/3 nodes: Insufficient cpu',
    },
    {
      status: { phase: 'Failed', reason: 'Evicted', message: 'disk' },
      kind: 'Failed',
      says: 'Evicted: disk',
    },
    { status: { phase: 'Pending' }, kind: 'Starting', says: 'has not started yet' },
    {
      status: { phase: 'Pending' },
      events: [event('FailedMount', 'secret "cert" not found')],
      kind: 'BadConfiguration',
      says: 'cannot start: secret "cert" not found',
    },
  ])('$kind: $says', ({ status, events, kind, says }) => {
    const [problem, ...others] = explain([pod(status)], events);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ kind, pod: 'op-1' });
    expect(problem?.message).toContain(says);
  });

  test.each([
    { message: 'pods "x" is forbidden: exceeded quota: small', kind: 'Quota' },
    { message: 'pods "x" is forbidden: violates PodSecurity "restricted:latest"', kind: 'Refused' },
  ])('Pods that cannot be created: $kind', ({ message, kind }) => {
    const status = { conditions: [{ type: 'ReplicaFailure', status: 'True', message }] };
    expect(explain([], [], status)).toMatchObject([{ kind }]);
  });

  test('Pods that are ready, completed, deleting, of old ReplicaSets or of other workloads are no problem', () => {
    const going = {
      ...pod({ phase: 'Pending' }),
      metadata: { ...pod({}).metadata, deletionTimestamp: '2000-01-01T00:00:00Z' },
    };
    const pods = [
      pod({ phase: 'Pending' }, { owner: 'old' }),
      pod({ phase: 'Pending' }, { owner: 'else' }),
      pod({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }),
      pod({ phase: 'Succeeded' }),
      going,
    ];
    expect(explain(pods)).toEqual([]);
  });

  test('the most specific problem comes first', () => {
    const pods = [
      pod({ phase: 'Pending' }, { name: 'op-a' }),
      pod(container(waiting('CrashLoopBackOff')), { name: 'op-b' }),
      pod(container({ state: { running: {} } }), { name: 'op-c' }),
    ];
    expect(explain(pods).map(({ kind }) => kind)).toEqual(['CrashLooping', 'NotReady', 'Starting']);
  });

  test('an init container is explained like a container', () => {
    const status = {
      phase: 'Pending',
      initContainerStatuses: [{ name: 'init', restartCount: 1, ...waiting('CrashLoopBackOff') }],
    };
    expect(explain([pod(status)])).toMatchObject([{ kind: 'CrashLooping', container: 'init' }]);
  });
});
