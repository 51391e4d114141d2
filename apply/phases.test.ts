import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ANNOTATION } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';
import { compareObjects, orderObjects, phaseOf, PHASE_NAMES, type PhaseName } from './phases.ts';
import { sample, sampleCrd, sampleOperator } from './testing/sample-objects.ts';

const core = 'v1';
const rbac = 'rbac.authorization.k8s.io/v1';
const cases: readonly { apiVersion: string; kind: string; phase: PhaseName; because: string }[] = [
  { apiVersion: core, kind: 'Namespace', phase: 'namespaces', because: 'other objects live in it' },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', phase: 'policies', because: 'it limits later Pods' },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', phase: 'policies', because: 'Pods name it' },
  { apiVersion: core, kind: 'ServiceAccount', phase: 'identity', because: 'Pods run as it' },
  { apiVersion: core, kind: 'Secret', phase: 'configuration', because: 'Pods mount it' },
  { apiVersion: core, kind: 'PersistentVolumeClaim', phase: 'storage', because: 'Pods mount it' },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    phase: 'crds',
    because: 'the operator watches its kind',
  },
  { apiVersion: rbac, kind: 'Role', phase: 'roles', because: 'a binding names it' },
  { apiVersion: rbac, kind: 'ClusterRoleBinding', phase: 'bindings', because: 'it names a role' },
  {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    phase: 'infrastructure',
    because: 'Pods mount the Secret that it issues',
  },
  {
    apiVersion: core,
    kind: 'Service',
    phase: 'infrastructure',
    because: 'webhooks and Pods reach the operator through it',
  },
  { apiVersion: 'apps/v1', kind: 'Deployment', phase: 'workloads', because: 'it is the operator' },
  {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    phase: 'publish',
    because: 'it exposes running Pods to others',
  },
  {
    apiVersion: 'autoscaling.k8s.io/v1',
    kind: 'VerticalPodAutoscaler',
    phase: 'publish',
    because: 'it acts on running Pods',
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    phase: 'admission',
    because: 'it rejects every request while its server is down',
  },
  {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    phase: 'customResources',
    because: 'the operator has to run to handle it',
  },
  {
    apiVersion: 'secrets.example.com/v1',
    kind: 'Secret',
    phase: 'customResources',
    because: 'the group is part of a kind',
  },
  { apiVersion: 'batch/v1', kind: 'Job', phase: 'workloads', because: 'it runs Pods, like a Deployment' },
];

describe('the phase of an object', () => {
  test.each(cases)('$kind of $apiVersion: $phase, because $because', ({ apiVersion, kind, phase }) => {
    expect(phaseOf({ apiVersion, kind })).toBe(phase);
  });
});

describe('the graph of phases', () => {
  const phases = orderObjects([...sampleOperator(), sample(core, 'Namespace', 'ops')]);
  const after = (name: PhaseName): readonly string[] =>
    phases.find((phase) => phase.name === name)?.after.map(({ phase, until }) => `${phase} ${until}`) ?? [];

  test('the CRD phase waits for nothing, and only phases that use CRDs wait for it', () => {
    expect(after('crds')).toEqual([]);
    expect(
      phases.filter(({ after: all }) => all.some(({ phase }) => phase === 'crds')).map(({ name }) => name),
    ).toEqual(['workloads', 'admission']);
  });

  test('workloads begin when CRDs are established, and webhooks when workloads are available', () => {
    expect(after('workloads')).toContain('crds ready');
    expect(after('admission')).toContain('workloads ready');
  });

  test('a phase that has custom resources of a CRD in the same set waits for that CRD', () => {
    const issuer = sample('cert-manager.io/v1', 'Issuer', 'self', { namespace: 'ops' });
    const alone = orderObjects([issuer, sampleCrd('Widget')]).find(({ name }) => name === 'infrastructure');
    const own = orderObjects([issuer, sampleCrd('Issuer', { group: 'cert-manager.io' })]).find(
      ({ name }) => name === 'infrastructure',
    );
    expect(alone?.after.map(({ phase }) => phase)).not.toContain('crds');
    expect(own?.after).toContainEqual({ phase: 'crds', until: 'ready' });
  });

  describe('the beginning of the bindings', () => {
    const access = sample(rbac, 'ClusterRoleBinding', 'access', {
      metadata: { name: 'access', annotations: { [ANNOTATION.access]: 'custom-resources' } },
    });
    test.each<{ mayBind: boolean; further: readonly KubeObject[]; waits: boolean; because: string }>([
      { mayBind: false, further: [], waits: true, because: 'the API server compares the rights of a missing role' },
      { mayBind: true, further: [], waits: false, because: 'a writer that may bind any role is not compared' },
      { mayBind: true, further: [access], waits: true, because: 'the manager asks for the rights that it gave itself' },
    ])('waits for the roles: $waits, because $because', ({ mayBind, further, waits }) => {
      const planned = orderObjects([...sampleOperator(), ...further], { mayBind });
      const bindings = planned.find(({ name }) => name === 'bindings');
      expect(bindings?.after.some(({ phase }) => phase === 'roles')).toBe(waits);
    });
  });

  test('custom resources begin when webhooks exist and answer', () => {
    const withOwn = orderObjects([...sampleOperator(), sample('example.com/v1', 'Widget', 'own')]).at(-1);
    expect(withOwn?.name).toBe('customResources');
    expect(withOwn?.after).toContainEqual({ phase: 'admission', until: 'ready' });
    expect(withOwn?.after).toContainEqual({ phase: 'workloads', until: 'ready' });
    expect(withOwn?.after).toContainEqual({ phase: 'crds', until: 'ready' });
  });

  test('rights on custom resources are granted once their CRD exists, and other rights at once', () => {
    const rbac = 'rbac.authorization.k8s.io/v1';
    const annotations = { [ANNOTATION.access]: 'custom-resources' };
    const access = sample(rbac, 'ClusterRole', 'access', { metadata: { name: 'access', annotations } });
    const rolesOf = (objects: readonly KubeObject[]): readonly string[] =>
      (orderObjects(objects).find(({ name }) => name === 'roles')?.after ?? []).map(({ phase }) => phase);
    expect(rolesOf([...sampleOperator(), access])).toContain('crds');
    expect(rolesOf(sampleOperator())).not.toContain('crds');
  });

  test('every phase waits only for earlier ones or the CRDs, so there is no cycle', () => {
    const all = orderObjects(cases.map(({ apiVersion, kind }) => sample(apiVersion, kind, 'x')));
    expect(all.map(({ name }) => name)).toEqual([...PHASE_NAMES]);
    for (const [index, { after: before }] of all.entries()) {
      const earlier = new Set<string>(PHASE_NAMES.slice(0, index));
      expect(before.filter(({ phase }) => phase !== 'crds' && !earlier.has(phase))).toEqual([]);
    }
  });
});

const word = fc.constantFrom('a', 'b', 'A', 'ä', 'b-1', '10', '9');
const anyObject = fc
  .record({ known: fc.constantFrom(...cases), namespace: fc.option(word, { nil: undefined }), name: word })
  .map(({ known, namespace, name }): KubeObject =>
    sample(known.apiVersion, known.kind, name, namespace === undefined ? {} : { namespace }),
  );

describe('the order of objects', () => {
  test('the order of objects is total: antisymmetric and transitive', () => {
    fc.assert(
      fc.property(anyObject, anyObject, anyObject, (a, b, c) => {
        expect(Math.sign(compareObjects(a, b))).toBe(-Math.sign(compareObjects(b, a)) + 0);
        if (compareObjects(a, b) <= 0 && compareObjects(b, c) <= 0) expect(compareObjects(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  test('the order does not depend on the order in a bundle, and loses no object', () => {
    const sets = fc.uniqueArray(anyObject, { selector: (object) => JSON.stringify(object) });
    const shuffled = sets.chain((set) =>
      fc.tuple(fc.constant(set), fc.shuffledSubarray(set, { minLength: set.length })),
    );
    fc.assert(
      fc.property(shuffled, ([set, other]) => {
        expect(orderObjects(other)).toEqual(orderObjects(set));
        expect(orderObjects(set).flatMap(({ objects }) => objects)).toHaveLength(set.length);
      }),
    );
  });
});
