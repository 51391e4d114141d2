/** The objects that an apply would refuse to take over from OLM. */
import { expect, test } from 'vitest';
import type { KubeObject, OwnerReference } from '../api/object.ts';
import { describeCollected } from './collected.ts';

const OLM = { apiVersion: 'olm.example/v1', kind: 'Extension', name: 'gadget', uid: 'o' };
const STRANGER = { apiVersion: 'v1', kind: 'Namespace', name: 'lights', uid: 's' };
const OTHER = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'operator', uid: 'd' };
const isOfOlm = ({ uid }: OwnerReference): boolean => uid === OLM.uid;
const crd = (ownerReferences: readonly OwnerReference[], namespace?: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets', ownerReferences, ...(namespace !== undefined && { namespace }) },
});

test.each([
  { objects: [crd([])], because: 'it has no owner' },
  { objects: [crd([OLM])], because: 'the hand-over takes the owner off' },
  { objects: [crd([STRANGER], 'ops')], because: 'in a namespace its own people decide' },
])('an object does not keep a hand-over from beginning if $because', ({ objects }) => {
  expect(describeCollected(objects, isOfOlm)).toBeUndefined();
});

test('a cluster-scoped object with owners of strangers keeps a hand-over from beginning, and all are named', () => {
  const found = describeCollected([crd([OLM]), crd([OLM, STRANGER, OTHER])], isOfOlm);
  expect(found).toMatch(/ gadgets with .*: Namespace lights, Deployment operator\. /);
});

test('a maker who names many owners, and long ones, does not make the sentence long', () => {
  const many = Array.from({ length: 500 }, (_, at) => ({ ...STRANGER, name: `${at}${'x'.repeat(5000)}` }));
  const found = describeCollected([crd(many)], isOfOlm);
  expect(found).toContain('490 more');
  expect(found?.length).toBeLessThan(5000);
});
