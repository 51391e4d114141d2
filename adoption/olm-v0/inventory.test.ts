/** Which objects an InstallPlan of OLM has created, by their identity in the cluster. */
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import type { Cluster } from '../../api/cluster.ts';
import { NEVER } from '../../api/testing/never.ts';
import type { ObjectRef } from '../../api/object.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { large, withSmallLists } from '../../kube/testing/small-lists.ts';
import { identityOf, knownScope } from '../../apply/identity.ts';
import { collectInventory, tieFactsOf } from './inventory.ts';
import { OLM } from './kinds.ts';
import { csvOf, surveyOf } from './testing/survey.ts';

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

describe('the RoleBinding in kube-system that lets an operator read how the API server authenticates', () => {
  const install = { spec: { deployments: [{ name: 'gadget.manager' }] } };
  const API = { apiservicedefinitions: { owned: [{ name: 'gadgets' }] } };
  const WEBHOOK = { webhookdefinitions: [{ type: 'ValidatingAdmissionWebhook' }] };
  const metadata = { namespace: 'kube-system', name: 'gadget-manager-service-auth-reader' };

  test.each([
    { because: 'it has an aggregated API', spec: API, account: 'ops', found: true },
    { because: 'it has a webhook', spec: WEBHOOK, account: 'ops', found: true },
    { because: 'the API server never calls it', spec: {}, account: 'ops', found: false },
    {
      because: 'an operator of another namespace has a Deployment of that name',
      spec: WEBHOOK,
      account: 'other',
      found: false,
    },
  ])('is its own: $found, since $because', async ({ spec, account, found }) => {
    const cluster = createFakeCluster();
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } });
    const subjects = [{ kind: 'ServiceAccount', name: 'gadget', namespace: account }];
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    cluster.put({
      apiVersion,
      kind: 'RoleBinding',
      metadata: { ...metadata, labels: { 'olm.managed': 'true' } },
      subjects,
    });
    const facts = tieFactsOf(surveyOf({ csv: csvOf(CSV, { spec: { ...spec, install } }) }), operator);
    const { own } = await collectInventory(cluster, facts, NEVER);
    expect(own.map(({ metadata: { name } }) => name)).toEqual(found ? [metadata.name] : []);
  });
});

describe('an inventory by labels, which each tenant can write', () => {
  const labels = { 'olm.managed': 'true', 'operators.coreos.com/gadget.ops': '' };
  const group = {
    ...OLM.operatorGroup,
    metadata: { name: 'all', namespace: 'ops' },
    status: { namespaces: ['watched'] },
  };
  const facts = tieFactsOf(surveyOf({ csv: csvOf(CSV), operatorGroups: [group] }), operator);

  function clusterOf(): FakeCluster {
    const cluster = createFakeCluster();
    for (const name of ['ops', 'watched', 'other']) {
      cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      cluster.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: name, labels } });
    }
    return cluster;
  }

  /** Lists as an account that may list kinds of the cluster, or not. */
  function limited(cluster: FakeCluster, mayListKindsOfCluster: boolean): Pick<Cluster, 'get' | 'list'> {
    const forbidden = new ApiError('list', { code: 403, reason: 'Forbidden', causes: [] });
    return {
      get: (ref, until) => cluster.get(ref, until),
      list: async (kind, options, signal) => {
        const isAllowed = options?.namespace !== undefined || (mayListKindsOfCluster && knownScope(kind) === 'Cluster');
        if (!isAllowed) throw forbidden;
        return cluster.list(kind, options, signal);
      },
    };
  }

  test('by an account that may list in its namespaces only has those of its namespace and of the watched ones', async () => {
    const { own } = await collectInventory(limited(clusterOf(), true), facts, NEVER);
    expect(own.map(({ metadata }) => metadata.namespace)).toEqual(['ops', 'watched']);
  });

  test.each([
    { because: 'it names another package too', more: { 'operators.coreos.com/lamp.other': '' } },
    { because: 'it names the operator alone', more: {} },
  ])(
    'an object of a tenant in another namespace with the labels of OLM is none of the operator: $because',
    async ({ more }) => {
      const cluster = clusterOf();
      const ref = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'forged', namespace: 'other' } };
      cluster.put({ ...ref, metadata: { ...ref.metadata, labels: { ...labels, ...more } } });
      const { own, shared } = await collectInventory(cluster, facts, NEVER);
      expect([...own, ...shared.map(({ object }) => object)].map(({ metadata }) => metadata.namespace)).toEqual([
        'ops',
        'watched',
      ]);
    },
  );

  test.each(['other', 'watched'])('objects of tenants in namespace %s are not whole in memory', async (namespace) => {
    const cluster = clusterOf();
    for (const name of ['x', 'y', 'z']) {
      const forged = { name, namespace, labels: { 'olm.managed': 'true' }, annotations: { long: large(10_000) } };
      cluster.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: forged });
    }
    const { own } = await collectInventory(withSmallLists(cluster, 20_000), facts, NEVER);
    expect(own.map(({ metadata }) => metadata.namespace)).toEqual(['ops', 'watched']);
  });

  test('needs the right to list kinds of the cluster, so that no object is forgotten', async () => {
    await expect(collectInventory(limited(clusterOf(), false), facts, NEVER)).rejects.toMatchObject({ code: 403 });
  });
});
