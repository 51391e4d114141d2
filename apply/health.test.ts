import type { Fields } from '../api/untyped.ts';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { assessHealth, type Health } from './health.ts';
import { sample } from './testing/sample-objects.ts';

const withMeta = (object: KubeObject, meta: Fields): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, ...meta },
});
const conditions = (...all: readonly Fields[]): Fields => ({ conditions: all });
const condition = (type: string, status: string, reason = '', message = ''): Fields => ({
  type,
  status,
  reason,
  message,
});

const deployment = (status: Fields, spec: Fields = {}): KubeObject =>
  withMeta(sample('apps/v1', 'Deployment', 'a', { spec, status: { observedGeneration: 2, ...status } }), {
    generation: 2,
  });
const running = { replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
const statefulSet = (status: Fields, spec: Fields = {}): KubeObject =>
  sample('apps/v1', 'StatefulSet', 'a', { spec, status: { observedGeneration: 1, ...status } });
const daemonSet = (status: Fields): KubeObject =>
  sample('apps/v1', 'DaemonSet', 'a', { status: { observedGeneration: 1, ...status } });
const crd = (...all: readonly Fields[]): KubeObject =>
  sample('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'a', { status: conditions(...all) });
const widget = (...all: readonly Fields[]): KubeObject =>
  sample('example.com/v1', 'Widget', 'a', { status: conditions(...all) });

function injected(object: KubeObject): KubeObject {
  const annotations = { 'cert-manager.io/inject-ca-from': 'ops/serving' };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const cases: readonly { object: KubeObject; state: Health['state']; because: string }[] = [
  { object: deployment(running), state: 'Ready', because: 'all replicas are new and available' },
  {
    object: deployment({ ...running, observedGeneration: 1 }),
    state: 'Progressing',
    because: 'the status describes the old spec',
  },
  { object: sample('apps/v1', 'Deployment', 'a'), state: 'Progressing', because: 'no controller has seen it' },
  { object: deployment({ replicas: 1 }), state: 'Progressing', because: 'the new replica does not exist yet' },
  { object: deployment({ ...running, replicas: 2 }), state: 'Progressing', because: 'an old replica still exists' },
  {
    object: deployment({ ...running, availableReplicas: 0 }),
    state: 'Progressing',
    because: 'the replica is not available',
  },
  {
    object: deployment({}, { replicas: 0 }),
    state: 'Ready',
    because: 'the bundle wants no replicas, and there are none',
  },
  {
    object: deployment({ ...running, ...conditions(condition('Available', 'False')) }),
    state: 'Progressing',
    because: 'its condition says that it is not available',
  },
  {
    object: deployment({
      replicas: 1,
      ...conditions(condition('Progressing', 'False', 'ProgressDeadlineExceeded', 'x')),
    }),
    state: 'Failed',
    because: 'its controller has given up',
  },
  {
    object: deployment({
      ...running,
      observedGeneration: 1,
      ...conditions(condition('Progressing', 'False', 'ProgressDeadlineExceeded')),
    }),
    state: 'Progressing',
    because: 'the old rollout was given up',
  },
  {
    object: statefulSet({ readyReplicas: 1, updatedReplicas: 1 }),
    state: 'Ready',
    because: 'its replica is ready and updated',
  },
  {
    object: statefulSet({ readyReplicas: 1, updatedReplicas: 0 }),
    state: 'Progressing',
    because: 'its replica is old',
  },
  { object: statefulSet({ readyReplicas: 0 }), state: 'Progressing', because: 'its replica is not ready' },
  {
    object: statefulSet({ readyReplicas: 1 }, { updateStrategy: { type: 'OnDelete' } }),
    state: 'Ready',
    because: 'its replicas are replaced only when a person deletes them',
  },
  {
    object: statefulSet(
      { readyReplicas: 3, updatedReplicas: 1 },
      { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
    ),
    state: 'Ready',
    because: 'the partition holds the others back',
  },
  {
    object: daemonSet({ desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 }),
    state: 'Ready',
    because: 'every node has its Pod',
  },
  { object: daemonSet({ desiredNumberScheduled: 0 }), state: 'Ready', because: 'no node needs it' },
  {
    object: daemonSet({ desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1 }),
    state: 'Progressing',
    because: 'one node lacks its Pod',
  },
  { object: crd(), state: 'Progressing', because: 'it was created a moment ago' },
  {
    object: crd(condition('Established', 'True'), condition('NamesAccepted', 'True')),
    state: 'Ready',
    because: 'it is served',
  },
  {
    object: crd(condition('NamesAccepted', 'False', 'PluralConflict', 'taken'), condition('Established', 'False')),
    state: 'Failed',
    because: 'another CRD has its names',
  },
  {
    object: crd(condition('NamesAccepted', 'False', 'Installing'), condition('Established', 'False', 'Installing')),
    state: 'Progressing',
    because: 'its names are still being checked',
  },
  {
    object: crd(condition('NamesAccepted', 'True'), condition('Established', 'False', 'InvalidCABundle')),
    state: 'Failed',
    because: 'the API server does not serve it while its caBundle is no certificate',
  },
  {
    object: injected(crd(condition('Established', 'False', 'InvalidCABundle'))),
    state: 'Progressing',
    because: 'cert-manager injects the certificate authority a moment later',
  },
  {
    object: sample('apiregistration.k8s.io/v1', 'APIService', 'a', {
      status: conditions(condition('Available', 'False')),
    }),
    state: 'Progressing',
    because: 'no endpoint answers behind it yet',
  },
  { object: sample('v1', 'Namespace', 'a', { status: { phase: 'Active' } }), state: 'Ready', because: 'it is active' },
  {
    object: sample('v1', 'PersistentVolumeClaim', 'a', { status: { phase: 'Bound' } }),
    state: 'Ready',
    because: 'it is bound',
  },
  {
    object: sample('v1', 'PersistentVolumeClaim', 'a', { status: { phase: 'Pending' } }),
    state: 'Progressing',
    because: 'it is not bound',
  },
  {
    object: sample('v1', 'PersistentVolumeClaim', 'a', { status: { phase: 'Lost' } }),
    state: 'Failed',
    because: 'its data is lost',
  },
  {
    object: sample('batch/v1', 'Job', 'a', { status: conditions(condition('Complete', 'True')) }),
    state: 'Ready',
    because: 'it has completed',
  },
  {
    object: sample('batch/v1', 'Job', 'a', { status: conditions(condition('Failed', 'True')) }),
    state: 'Failed',
    because: 'it gave up',
  },
  {
    object: sample('cert-manager.io/v1', 'Certificate', 'a'),
    state: 'Progressing',
    because: 'no certificate is issued yet',
  },
  {
    object: sample('cert-manager.io/v1', 'Issuer', 'a', { status: conditions(condition('Ready', 'True')) }),
    state: 'Ready',
    because: 'it can issue',
  },
  { object: widget(), state: 'Ready', because: 'it has no Ready condition' },
  { object: widget(condition('Ready', 'True')), state: 'Ready', because: 'its Ready condition is True' },
  {
    object: widget(condition('Ready', 'False', 'Busy')),
    state: 'Progressing',
    because: 'its Ready condition is False',
  },
  { object: widget(condition('Ready', 'Unknown')), state: 'Unknown', because: 'its Ready condition is Unknown' },
  {
    object: widget(condition('Stalled', 'True'), condition('Ready', 'True')),
    state: 'Failed',
    because: 'Stalled outweighs Ready',
  },
  {
    object: widget(condition('Reconciling', 'True'), condition('Ready', 'True')),
    state: 'Progressing',
    because: 'it is reconciling',
  },
  {
    object: withMeta(widget({ ...condition('Ready', 'True'), observedGeneration: 1 }), { generation: 2 }),
    state: 'Progressing',
    because: 'the condition is about an older spec',
  },
  { object: sample('v1', 'ConfigMap', 'a'), state: 'Ready', because: 'the kind has no status' },
  {
    object: withMeta(deployment(running), { deletionTimestamp: '2000-01-01T00:00:00Z' }),
    state: 'Progressing',
    because: 'it is being deleted',
  },
];

describe('health', () => {
  test('of a Deployment whose rollout is paused names the way to resume it', () => {
    const paused = deployment({ replicas: 1, availableReplicas: 1 }, { paused: true });
    expect(assessHealth(paused)).toMatchObject({
      state: 'Progressing',
      message: expect.stringContaining('rollout resume deployment/a') as string,
    });
    expect(assessHealth(deployment(running, { paused: true })).state).toBe('Ready');
  });

  test.each(cases)('$object.kind: $state, because $because', ({ object, state }) => {
    const health = assessHealth(object);
    expect(health.state).toBe(state);
    if (state !== 'Ready') expect(health.message).not.toBe('');
  });

  test('the health of a CRD with an invalid certificate authority names the field, which the API server does not', () => {
    const health = assessHealth(crd(condition('Established', 'False', 'InvalidCABundle')));
    expect(health).toMatchObject({ state: 'Failed', reason: 'InvalidCABundle' });
    expect(health.message).toContain('spec.conversion.webhook.clientConfig.caBundle');
  });

  test.each([null, 'x', 7, [], { conditions: 'x' }, { conditions: [null, 'x', 7] }, { observedGeneration: 'x' }])(
    'a status of any shape (%j) is assessed without failing',
    (status) => {
      for (const { object } of cases) expect(assessHealth({ ...object, status }).state).toBeTypeOf('string');
    },
  );
});
