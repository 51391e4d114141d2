import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANNOTATION, LABEL } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { newestReplicaSet } from '../../apply/explain-pods.ts';
import { judgeOwnership } from '../../apply/collision.ts';
import { assessHealth } from '../../apply/health.ts';
import { heldFor } from '../../apply/held-back.ts';
import { isIntact, stateOf } from '../../apply/inventory.ts';
import { podSelectorOf } from '../../apply/label-selector.ts';
import { resourceOf } from '../../apply/custom-resources.ts';
import { keepHealth, keepMetadata, keepName } from './kept-parts.ts';

const OWNER = { namespace: 'ops', name: 'widgets' };
const KINDS = [
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'StatefulSet'],
  ['apps/v1', 'DaemonSet'],
  ['batch/v1', 'Job'],
  ['v1', 'Pod'],
  ['v1', 'PersistentVolumeClaim'],
  ['cert-manager.io/v1', 'Certificate'],
] as const;

const condition = fc.record({
  type: fc.constantFrom(
    'Ready',
    'Available',
    'Progressing',
    'Failed',
    'Complete',
    'Stalled',
    'Reconciling',
    'Suspended',
  ),
  status: fc.constantFrom('True', 'False', 'Unknown'),
  reason: fc.constantFrom('ProgressDeadlineExceeded', 'Other'),
  message: fc.string({ maxLength: 20 }),
  observedGeneration: fc.nat(3),
});
const counts = ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'numberAvailable'] as const;
const status = fc.record(
  {
    ...(Object.fromEntries(counts.map((field) => [field, fc.nat(3)])) as Record<string, fc.Arbitrary<number>>),
    observedGeneration: fc.nat(3),
    desiredNumberScheduled: fc.nat(3),
    updatedNumberScheduled: fc.nat(3),
    phase: fc.constantFrom('Active', 'Bound', 'Lost', 'Failed', 'Succeeded'),
    conditions: fc.array(condition, { maxLength: 4 }),
  },
  { requiredKeys: [] },
);
const spec = fc.record({
  replicas: fc.nat(3),
  progressDeadlineSeconds: fc.nat(600),
  updateStrategy: fc.record({
    type: fc.constantFrom('OnDelete', 'RollingUpdate'),
    rollingUpdate: fc.record({ partition: fc.nat(3) }),
  }),
  selector: fc.record({ matchLabels: fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('a', 'b')) }),
  template: fc.constant({ spec: { containers: [{ name: 'a', env: [{ name: 'E', value: 'x'.repeat(1000) }] }] } }),
});
const annotations = fc.dictionary(
  fc.constantFrom(...Object.values(ANNOTATION), 'deployment.kubernetes.io/revision', 'theirs.example/long'),
  fc.constantFrom('ops/widgets', 'abc', '7'),
);
const metadata = fc.record({
  name: fc.constant('a'),
  namespace: fc.constant('ops'),
  uid: fc.constantFrom('u1', 'u2'),
  resourceVersion: fc.constant('5'),
  generation: fc.nat(3),
  annotations,
  labels: fc.constant({ [LABEL.owner]: 'ops.widgets', [LABEL.revision]: 'widgets-1', app: 'x'.repeat(50) }),
});
const workload = fc
  .tuple(fc.constantFrom(...KINDS), metadata, spec, status)
  .map(([[apiVersion, kind], meta, specified, found]) => ({
    apiVersion,
    kind,
    metadata: meta,
    spec: specified,
    status: found,
  }));

/** Every question that the code asks about an object of a watch. */
function answers(object: KubeObject): unknown {
  const replicaSet = { ...object, kind: 'ReplicaSet', metadata: { ...object.metadata, ownerReferences: [] } };
  return {
    health: assessHealth(object),
    ownership: judgeOwnership(object, OWNER, 'u1'),
    held: heldFor(object),
    state: stateOf(object),
    intact: isIntact({ ...OWNER, apiVersion: '', kind: '', uid: 'u1', hash: '', seen: 'generation 1' }, object),
    pods: podSelectorOf(object),
    newest: newestReplicaSet(object, [replicaSet])?.metadata.name,
    revision: object.metadata.labels?.[LABEL.revision],
    letIn: object.metadata.annotations?.[ANNOTATION.letIn],
  };
}

describe('the kept parts of a workload', () => {
  it('the kept parts of a workload answer every question as the whole object does', () => {
    fc.assert(
      fc.property(workload, (object) => {
        expect(answers(keepHealth(object))).toEqual(answers(object));
      }),
    );
  });

  it('the kept parts of a workload have no template, and no annotation of others', () => {
    fc.assert(
      fc.property(workload, (object) => {
        const kept = JSON.stringify(keepHealth(object));
        expect(kept).not.toContain('containers');
        expect(kept).not.toContain('theirs.example');
      }),
    );
  });
});

const BIG = 'x'.repeat(1_000_000);
const base: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a', namespace: 'ops', uid: 'u1', labels: { [LABEL.owner]: 'ops.widgets' } },
};
const STRANGER = { apiVersion: 'ghost.example/v1', kind: 'Ghost', uid: 'u' };
const NAMESAKE = { apiVersion: 'ghost.example/v1', kind: 'CustomResourceDefinition' };
const many = Array.from({ length: 20_000 }, (_, at) => `finalizer.example/${at}`);

describe.each([
  { because: 'environment in a template', object: { ...base, spec: { template: { spec: { env: BIG } } } } },
  { because: 'an annotation of others', object: having({ annotations: { 'a.example/b': BIG } }) },
  { because: 'an annotation of ours', object: having({ annotations: { [ANNOTATION.owner]: BIG } }) },
  { because: 'many annotations like ours', object: having({ annotations: likeOurs('x'.repeat(4000)) }) },
  { because: 'many labels like ours', object: having({ labels: likeOurs('x'.repeat(63)) }) },
  { because: 'owners', object: having({ ownerReferences: [{ ...STRANGER, name: BIG }] }) },
  { because: 'labels', object: having({ labels: Object.fromEntries(many.map((key) => [key, 'x'])) }) },
  { because: 'finalizers', object: having({ finalizers: many }) },
  { because: 'a selector', object: { ...base, spec: { selector: { matchLabels: { a: BIG } } } } },
  { because: 'a strategy', object: { ...base, spec: { strategy: { type: BIG } } } },
  { because: 'a list in a status', object: { ...base, status: { images: many } } },
  { because: 'messages in a status', object: { ...base, status: { conditions: [{ type: 'Ready', message: BIG }] } } },
  { because: 'many conditions', object: { ...base, status: { conditions: many.map((type) => ({ type })) } } },
  {
    because: 'the names of a kind that another group calls as CRDs are called',
    object: { ...base, ...NAMESAKE, spec: { names: many } },
  },
])('an object made large by $because', ({ object }) => {
  it.each([keepHealth, keepMetadata, keepName])('a large object is small in memory: %o', (keep) => {
    expect(JSON.stringify(keep(object)).length).toBeLessThan(16 * 1024);
    expect(keep(object).metadata).toMatchObject({ name: 'a', namespace: 'ops', uid: 'u1' });
  });
});

function likeOurs(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`slipway.dev/a${at}`, text]));
}

function having(given: Partial<KubeObject['metadata']>): KubeObject {
  return { ...base, metadata: { ...base.metadata, ...given } };
}

it('keeps the annotation by which another program writes the authority of a CRD, on which its health depends', () => {
  const asked = { 'cert-manager.io/inject-ca-from': 'ops/serving' };
  const status = { conditions: [{ type: 'Established', status: 'False', reason: 'InvalidCABundle' }] };
  const crd = {
    ...having({ annotations: asked }),
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    status,
  };
  expect(assessHealth(keepHealth(crd))).toEqual(assessHealth(crd));
  expect(assessHealth(keepHealth(crd)).state).toBe('Progressing');
});

it('a selector as long as the API server takes it is not kept', () => {
  const values = Array.from({ length: 930 }, (_, at) => `v${at}`.padEnd(63, 'x'));
  const selector = { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'b', operator: 'NotIn', values }] };
  const claims = { [ANNOTATION.owner]: 'ops/widgets' };
  const kept = keepHealth({ ...having({ annotations: claims }), spec: { replicas: 0, selector }, status: {} });
  expect(kept).toEqual(keepName(having({ annotations: claims })));
});

it('an object that is kept by name takes less than two kilobytes', () => {
  const claims = { [ANNOTATION.owner]: 'ops/widgets', [ANNOTATION.ownerUid]: 'u' };
  const labels = { ...likeOurs('x'.repeat(63)), [LABEL.owner]: 'ops.widgets', [LABEL.revision]: 'widgets-1' };
  expect(JSON.stringify(keepName(having({ annotations: claims, labels }))).length).toBeLessThan(2048);
});

it('an object that is kept by name still names its owner', () => {
  const claims = { [ANNOTATION.owner]: 'ops/widgets', [ANNOTATION.ownerUid]: 'u', [ANNOTATION.adoptBy]: 'ops/other' };
  const kept = keepName(having({ annotations: { ...claims, 'a.example/b': 'c' } }));
  expect(kept.metadata.annotations).toEqual(claims);
});

it('a CRD keeps its served versions, however long its certificates are', () => {
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { description: BIG } } }];
  const crd: KubeObject = {
    ...base,
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    spec: {
      group: 'a.example',
      names: { kind: 'A', plural: 'as' },
      scope: 'Namespaced',
      versions,
      conversion: { b: BIG },
    },
    status: { conditions: [{ type: 'Established', status: 'True' }], storedVersions: ['v1'] },
  };
  expect(resourceOf(keepHealth(crd))).toMatchObject({ apiVersion: 'a.example/v1', kind: 'A' });
  expect(JSON.stringify(keepHealth(crd)).length).toBeLessThan(BIG.length * 1.1);
});

it('keeps the conditions of a workload whose messages are long', () => {
  const conditions = Array.from({ length: 20 }, (_, at) => ({
    type: `T${at}`,
    status: 'True',
    message: 'm'.repeat(2000),
  }));
  const available = { type: 'Available', status: 'True', message: 'm'.repeat(5000) };
  const kept = keepHealth({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', namespace: 'ops', labels: { [LABEL.owner]: 'x' } },
    status: { replicas: 1, conditions: [available, ...conditions] },
  });
  expect(kept['status']).toMatchObject({ replicas: 1, conditions: [{ type: 'Available', status: 'True' }, ...conditions.map(({ type }) => ({ type }))] }); // prettier-ignore
});
