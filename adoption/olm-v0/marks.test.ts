/** The objects of an operator by the marks of OLM, and the patch that takes the marks off. */
import { describe, expect, test } from 'vitest';
import { identityOf } from '../../apply/identity.ts';
import type { KubeObject } from '../../api/object.ts';
import { componentLabel, INSTALLED_ALONGSIDE, type OlmOperator } from './kinds.ts';
import { handOver, isMarked, tieOf, type TieFacts } from './marks.ts';

const operator: OlmOperator = {
  namespace: 'ops',
  subscription: 'gadget',
  package: 'gadget-operator',
  csv: 'gadget.v1',
};
const facts: TieFacts = {
  operator,
  derived: [],
  namespaces: ['ops'],
  planned: new Set([identityOf({ apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'ops', name: 'helper' })]),
  living: new Set(['ops/gadget.v1', 'ops/other.v1']),
};
const component = componentLabel('gadget-operator', 'ops');
const reference = (name: string, kind = 'ClusterServiceVersion'): object => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind,
  name,
  uid: '1',
});

function object(metadata: object, kind = 'Role', apiVersion = 'rbac.authorization.k8s.io/v1'): KubeObject {
  return { apiVersion, kind, metadata: { name: 'one', namespace: 'ops', ...metadata } };
}

const TIES: readonly { readonly because: string; readonly object: KubeObject; readonly tie: string }[] = [
  { because: 'the label names the package', object: object({ labels: { [component]: '' } }), tie: 'own' },
  { because: 'its owner is the version', object: object({ ownerReferences: [reference('gadget.v1')] }), tie: 'own' },
  {
    because: 'an owner of that name in another namespace is another one',
    object: object({ namespace: 'else', ownerReferences: [reference('gadget.v1')] }),
    tie: 'none',
  },
  {
    because: 'the owner labels name version and namespace',
    object: object({ labels: { 'olm.owner': 'gadget.v1', 'olm.owner.namespace': 'ops' } }),
    tie: 'own',
  },
  {
    because: 'a ClusterRole of the bundle names no namespace',
    object: object({ namespace: undefined, labels: { 'olm.owner': 'gadget.v1' } }, 'ClusterRole'),
    tie: 'own',
  },
  {
    because: 'the rights in a target namespace say where they were copied from',
    object: object({
      namespace: 'target',
      labels: { 'olm.owner': 'gadget.v1', 'olm.owner.namespace': 'target', 'olm.copiedFrom': 'ops' },
    }),
    tie: 'own',
  },
  {
    because: 'the same version in another namespace has its own',
    object: object({ namespace: 'else', labels: { 'olm.owner': 'gadget.v1', 'olm.owner.namespace': 'else' } }),
    tie: 'none',
  },
  {
    because: 'the InstallPlan created it, and only it says so',
    object: object({ name: 'helper', labels: { 'olm.managed': 'true' } }, 'ServiceAccount', 'v1'),
    tie: 'own',
  },
  {
    because: 'the rights on an OperatorCondition follow that',
    object: object({ labels: { [component]: '' }, ownerReferences: [reference('gadget.v1', 'OperatorCondition')] }),
    tie: 'none',
  },
  {
    because: 'it names another package',
    object: object({ labels: { [componentLabel('other', 'ops')]: '' } }),
    tie: 'none',
  },
  {
    because: 'two packages have it',
    object: object({ labels: { [component]: '', [componentLabel('other', 'ops')]: '' } }),
    tie: 'shared',
  },
  {
    because: 'two versions came with the CRD, and both exist',
    object: object({
      labels: { [component]: '' },
      annotations: { [`${INSTALLED_ALONGSIDE}1`]: 'ops/gadget.v1', [`${INSTALLED_ALONGSIDE}2`]: 'ops/other.v1' },
    }),
    tie: 'shared',
  },
  {
    because: 'the version that came with the CRD first is gone',
    object: object({ labels: { [component]: '' }, annotations: { [`${INSTALLED_ALONGSIDE}1`]: 'ops/gadget.v0' } }),
    tie: 'own',
  },
];

describe('an object belongs to the operator', () => {
  test.each(TIES)('$tie: $because', ({ object: one, tie }) => {
    expect(tieOf(one, facts).kind).toBe(tie);
  });
});

describe('the patch of a hand-over', () => {
  const crd = object({
    resourceVersion: '7',
    labels: { 'olm.managed': 'true', [component]: '', app: 'gadget' },
    annotations: { [`${INSTALLED_ALONGSIDE}1`]: 'ops/gadget.v1', note: 'kept' },
    ownerReferences: [reference('gadget.v1'), reference('x', 'ConfigMap')],
  });

  test('takes every mark off in one write, and nothing else', () => {
    expect(handOver(crd, 'ops/gadget')).toEqual({
      metadata: {
        resourceVersion: '7',
        labels: { 'olm.managed': null, [component]: null },
        annotations: { [`${INSTALLED_ALONGSIDE}1`]: null, 'slipway.dev/adopt-by': 'ops/gadget' },
        ownerReferences: [reference('x', 'ConfigMap')],
      },
    });
  });

  test('leaves no mark', () => {
    const { resourceVersion: _, ...metadata } = crd.metadata;
    expect(isMarked(crd)).toBe(true);
    expect(
      isMarked({ ...crd, metadata: { ...metadata, labels: { app: 'gadget' }, annotations: {}, ownerReferences: [] } }),
    ).toBe(false);
  });

  test('a long name of a package is cut as OLM cuts it', () => {
    expect(componentLabel('a'.repeat(60), 'ops')).toBe(`operators.coreos.com/${'a'.repeat(60)}.op`);
  });
});
