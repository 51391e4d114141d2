import { expect, it } from 'vitest';
import { ANNOTATION, LABEL } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { createObjectStore } from '../../kube/watch/object-store.ts';
import { createLivingOwners } from './living-owners.ts';

const subscription: KubeObject = {
  apiVersion: 'slipway.dev/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'widgets', namespace: 'ops', uid: 'living' },
};
const [owner, uid] = [ANNOTATION.owner, ANNOTATION.ownerUid];

it.each([
  {
    because: 'it names the Subscription and its uid',
    annotations: { [owner]: 'ops/widgets', [uid]: 'living' },
    is: true,
  },
  { because: 'an earlier release wrote no uid', annotations: { [owner]: 'ops/widgets' }, is: true },
  { because: 'an earlier release wrote a label alone', label: 'ops.widgets', is: true },
  {
    because: 'an earlier Subscription of the name left it',
    annotations: { [owner]: 'ops/widgets', [uid]: 'x' },
    is: false,
  },
  { because: 'there is no such Subscription', annotations: { [owner]: 'ops/gadgets' }, is: false },
  { because: 'the annotation counts, not the label', label: 'ops.widgets', annotations: { [owner]: 'a/b' }, is: false },
  { because: 'no Subscription has the label', label: 'x', is: false },
  {
    because: 'the operator watches that namespace, and the manager wrote the uid',
    annotations: { [owner]: 'ops/widgets', [uid]: 'living' },
    namespace: 'watched',
    is: true,
  },
  { because: 'a tenant wrote the name', annotations: { [owner]: 'ops/widgets' }, namespace: 'tenant', is: false },
  { because: 'a tenant wrote the label', label: 'ops.widgets', namespace: 'tenant', is: false },
  { because: 'it is of the cluster', annotations: { [owner]: 'ops/widgets' }, namespace: '', is: true },
  { because: 'a name of a JavaScript property is an ordinary name', annotations: { [owner]: '__proto__' }, is: false },
])('an object has a living owner: $is, because $because', ({ annotations, label = 'x', namespace = 'ops', is }) => {
  const store = createObjectStore();
  const hasOwner = createLivingOwners(store);
  store.put(subscription);
  const metadata = {
    name: 'a',
    ...(namespace !== '' && { namespace }),
    labels: { [LABEL.owner]: label },
    ...(annotations && { annotations }),
  };
  expect(hasOwner({ apiVersion: 'apps/v1', kind: 'Deployment', metadata })).toBe(is);
  store.remove('ops/widgets');
  expect(hasOwner({ apiVersion: 'apps/v1', kind: 'Deployment', metadata })).toBe(false);
});
