import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { sample } from '../../apply/testing/sample-objects.ts';
import { rolesFor } from './account-roles.ts';
import { minimalRights, rightsToDelete } from './minimal.ts';

const RBAC = 'rbac.authorization.k8s.io';
const ops = (
  kind: string,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
  apiVersion = 'v1',
): KubeObject => {
  const object = sample(apiVersion, kind, name, more);
  return { ...object, metadata: { ...object.metadata, namespace: 'ops' } };
};
const whole = (kind: string, name: string, more: Readonly<Record<string, unknown>> = {}): KubeObject =>
  sample(`${RBAC}/v1`, kind, name, more);
const role = (rules: readonly object[]): KubeObject => ops('Role', 'r', { rules }, `${RBAC}/v1`);
const ALL_ROLES = { apiGroups: [RBAC], resources: ['clusterroles'], verbs: ['*'] };
const PODS = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };

/** `ops: get,patch configmaps(a)`: a rule in one line. */
function inWords(objects: readonly KubeObject[]): readonly string[] {
  return minimalRights(objects).map(({ scope, rule }) => {
    const names = rule.resourceNames.length === 0 ? '' : `(${rule.resourceNames.join(',')})`;
    return `${scope}: ${rule.verbs.join(',')} ${[...rule.resources, ...rule.nonResourceURLs].join(',')}${names}`;
  });
}

describe('the smallest rights to install', () => {
  test.each<{ because: string; objects: readonly KubeObject[]; expected: readonly string[] }>([
    {
      because: 'a right to create has no names, the others have',
      objects: [ops('ConfigMap', 'b'), ops('ConfigMap', 'a')],
      expected: ['ops: create configmaps', 'ops: get,patch configmaps(a,b)'],
    },
    {
      because: 'no account gives away a right that it does not hold',
      objects: [role([PODS])],
      expected: ['ops: create roles', 'ops: get pods', 'ops: get,patch roles(r)'],
    },
    {
      because: 'a right of the whole cluster covers that of a namespace',
      objects: [role([PODS]), whole('ClusterRole', 'c', { rules: [{ ...PODS, verbs: ['*'] }] })],
      expected: [
        ': * pods',
        ': create clusterroles',
        ': get,patch clusterroles(c)',
        'ops: create roles',
        'ops: get,patch roles(r)',
      ],
    },
    {
      because: 'a role that the bundle lacks is bound by its name',
      objects: [
        whole('ClusterRoleBinding', 'b', {
          roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'system:auth-delegator' },
        }),
      ],
      expected: [
        ': bind clusterroles(system:auth-delegator)',
        ': create clusterrolebindings',
        ': get,patch clusterrolebindings(b)',
      ],
    },
    {
      because: 'the rules of a role that is filled from others are not known',
      objects: [whole('ClusterRole', 'all', { aggregationRule: { clusterRoleSelectors: [] } })],
      expected: [': create clusterroles', ': escalate clusterroles(all)', ': get,patch clusterroles(all)'],
    },
    {
      because: 'with the right to give away rights that it does not hold, the account needs no other one',
      objects: [
        whole('ClusterRole', 'c', { rules: [{ ...PODS, verbs: ['*'] }, ALL_ROLES] }),
        whole('ClusterRoleBinding', 'b', { roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'c' } }),
        role([PODS]),
      ],
      expected: [
        ': * clusterroles',
        ': create clusterrolebindings',
        ': get,patch clusterrolebindings(b)',
        'ops: create roles',
        'ops: get pods',
        'ops: get,patch roles(r)',
      ],
    },
    {
      because: 'the right to write roles beyond its own rights is not the right to bind them',
      objects: [
        whole('ClusterRole', 'c', { rules: [PODS, { ...ALL_ROLES, verbs: ['escalate'] }] }),
        whole('ClusterRoleBinding', 'b', { roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'c' } }),
      ],
      expected: [
        ': create clusterrolebindings',
        ': create clusterroles',
        ': escalate clusterroles',
        ': get pods',
        ': get,patch clusterrolebindings(b)',
        ': get,patch clusterroles(c)',
      ],
    },
    {
      because: 'a right about the role of another name does not help',
      objects: [whole('ClusterRole', 'c', { rules: [PODS, { ...ALL_ROLES, resourceNames: ['other'] }] })],
      expected: [': * clusterroles(other)', ': create clusterroles', ': get pods', ': get,patch clusterroles(c)'],
    },
    {
      because: 'paths of the API server count in the whole cluster only',
      objects: [whole('ClusterRole', 'c', { rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] })],
      expected: [': create clusterroles', ': get /metrics', ': get,patch clusterroles(c)'],
    },
    {
      because: 'the Secret of a certificate that the manager issues is written as the account',
      objects: [
        ops('Deployment', 'gadget', { spec: {} }, 'apps/v1'),
        sample('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'guard', {
          webhooks: [{ clientConfig: { service: { namespace: 'ops', name: 'gadget-service' } } }],
        }),
      ],
      expected: [
        ': create mutatingwebhookconfigurations',
        ': get,patch mutatingwebhookconfigurations(guard)',
        'ops: create deployments',
        'ops: get,patch deployments(gadget)',
        'ops: create secrets',
        'ops: get,patch secrets(gadget-service-cert)',
      ],
    },
    {
      because: 'the plural of a kind of the bundle is that of its CRD',
      objects: [
        sample('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'foos.a.example', {
          spec: { group: 'a.example', names: { kind: 'Foo', plural: 'foos-of-all-kinds' }, scope: 'Namespaced' },
        }),
        ops('Foo', 'x', {}, 'a.example/v1'),
      ],
      expected: [
        ': create customresourcedefinitions',
        ': get,patch customresourcedefinitions(foos.a.example)',
        'ops: create foos-of-all-kinds',
        'ops: get,patch foos-of-all-kinds(x)',
      ],
    },
  ])('$because', ({ objects, expected }) => {
    expect(inWords(objects).toSorted()).toEqual(expected.toSorted());
  });

  test('a deletion needs a right of its own, by name', () => {
    expect(rightsToDelete([ops('ConfigMap', 'a')])).toMatchObject([
      { scope: 'ops', rule: { verbs: ['delete'], resourceNames: ['a'] } },
    ]);
  });

  test('a role and a binding are made for the cluster and for each namespace', () => {
    const roles = rolesFor(
      minimalRights([ops('ConfigMap', 'a'), whole('ClusterRole', 'c', { rules: [PODS] })]),
      { namespace: 'ops', name: 'installer' },
      'installer',
    );
    expect(roles.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`)).toEqual([
      'ClusterRole /ops-installer',
      'ClusterRoleBinding /ops-installer',
      'Role ops/installer',
      'RoleBinding ops/installer',
    ]);
  });
});
