/** Which objects an InstallPlan of OLM has created, by their identity in the cluster. */
import { expect, test } from 'vitest';
import type { ObjectRef } from '../../api/object.ts';
import { identityOf } from '../../apply/identity.ts';
import { tieFactsOf } from './inventory.ts';
import { OLM } from './kinds.ts';
import { surveyOf } from './testing/survey.ts';

const CSV = 'gadget.v1.0.0';
const operator = { namespace: 'ops', subscription: 'gadget', package: 'gadget', csv: CSV };

test.each([
  { group: 'rbac.authorization.k8s.io', kind: 'Role', namespaced: true },
  { group: '', kind: 'ConfigMap', namespaced: true },
  { group: 'example.com', kind: 'Gadget', namespaced: true },
  { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', namespaced: false },
  { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition', namespaced: false },
  { group: 'scheduling.k8s.io', kind: 'PriorityClass', namespaced: false },
  { group: 'console.openshift.io', kind: 'ConsolePlugin', namespaced: false },
  { group: 'admissionregistration.k8s.io', kind: 'ValidatingWebhookConfiguration', namespaced: false },
  { group: 'apiregistration.k8s.io', kind: 'APIService', namespaced: false },
  { group: 'example.com', kind: 'PriorityClass', namespaced: true },
])('$kind of the group "$group" is planned in a namespace: $namespaced', ({ group, kind, namespaced }) => {
  const resource = { group, version: 'v1', kind, name: 'a' };
  const plan = [{ resolving: CSV, resource }];
  const installPlans = [
    { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', metadata: { name: 'i' }, status: { plan } },
  ];
  const { planned } = tieFactsOf(surveyOf({ namespace: 'ops', installPlans }), operator);
  const apiVersion = group === '' ? 'v1' : `${group}/v1`;
  const ref: ObjectRef = { apiVersion, kind, name: 'a', ...(namespaced && { namespace: 'ops' }) };
  expect(planned).toContain(identityOf(ref));
});

test.each([
  { kind: 'ClusterRole', identity: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'a' } },
  { kind: 'ConfigMap', identity: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ops', name: 'a' } },
  { kind: 'Unheard', identity: { apiVersion: 'v1', kind: 'Unheard', namespace: 'ops', name: 'a' } },
])('$kind is found although OLM has left out its group and version', ({ kind, identity }) => {
  const plan = [{ resolving: CSV, resource: { group: '', version: '', kind, name: 'a' } }];
  const installPlans = [{ ...OLM.installPlan, metadata: { name: 'i' }, status: { plan } }];
  const { planned } = tieFactsOf(surveyOf({ namespace: 'ops', installPlans }), operator);
  expect(planned).toContain(identityOf(identity));
});
