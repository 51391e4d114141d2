import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { sample } from '../../apply/testing/sample-objects.ts';
import type { Access, PathAccess } from '../../kube/client/client.ts';
import { boundRole, side } from '../../plan/testing/sides.ts';
import { allows, grantedBy, type Asked } from '../../plan/rights/testing/naive-rbac.ts';
import { findMissingRights, type MissingRights } from './missing-rights.ts';

const account = { namespace: 'ops', name: 'installer' };
const signal = new AbortController().signal;
const PODS = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] };
const CONFIG = sample('v1', 'ConfigMap', 'settings', { data: {} });

/** An account with the rights of some roles. */
function holding(roles: readonly KubeObject[]): { allows: (access: Access | PathAccess) => Promise<boolean> } {
  const granted = grantedBy(roles);
  return { allows: async (access) => granted.some((rule) => allows(rule, askedOf(access))) };
}

function askedOf(access: Access | PathAccess): Asked {
  if ('path' in access) return { scope: '', verb: access.verb, url: access.path };
  const { namespace: scope = '', resource, subresource, ...rest } = access;
  return { scope, resource: subresource === undefined ? resource : `${resource}/${subresource}`, ...rest };
}

const input = { from: side({ more: [CONFIG] }), to: side({ version: '1.1.0', more: boundRole([PODS]) }) };

async function missing(roles: readonly KubeObject[]): Promise<MissingRights> {
  const found = await findMissingRights(holding(roles), input, { account, signal });
  if (found === undefined) throw new Error('the rights are not known');
  return found;
}

describe('the rights that an account lacks', () => {
  test('are all named at once, and are enough when they are granted', async () => {
    const { roles, rules } = await missing([]);
    expect(rules.length).toBeGreaterThan(3);
    expect((await missing(roles)).rules).toEqual([]);
  });

  test('are exactly those that are missing', async () => {
    const { roles } = await missing([]);
    const without = roles.map((role) => {
      const rules = role['rules'] as readonly { readonly resources?: readonly string[] }[] | undefined;
      return rules === undefined
        ? role
        : { ...role, rules: rules.filter(({ resources }) => resources?.includes('pods') !== true) };
    });
    const { rules } = await missing(without);
    expect(rules.map(({ rule }) => rule.resources)).toEqual([['pods']]);
    expect(rules[0]?.rule.verbs).toEqual(['get', 'list']);
  });

  test('include the deletion of objects that the new version does not want', async () => {
    const { rules } = await missing([]);
    expect(rules).toContainEqual({
      scope: 'ops',
      rule: {
        verbs: ['delete'],
        apiGroups: [''],
        resources: ['configmaps'],
        resourceNames: ['settings'],
        nonResourceURLs: [],
      },
    });
  });

  test('exclude the rights of roles if the account may write and bind any role', async () => {
    const all = sample('rbac.authorization.k8s.io/v1', 'ClusterRole', 'all', {
      rules: [{ verbs: ['escalate', 'bind'], apiGroups: ['*'], resources: ['roles', 'clusterroles'] }],
    });
    const { rules } = await missing([all]);
    expect(rules.flatMap(({ rule }) => rule.resources)).not.toContain('pods');
  });

  test('are not known if the account may not ask', async () => {
    const silent = { allows: async () => undefined };
    expect(await findMissingRights(silent, input, { account, signal })).toBeUndefined();
  });

  test.each([
    {
      because: 'roles lie in too many namespaces',
      more: Array.from({ length: 1001 }, (_, at) =>
        sample('rbac.authorization.k8s.io/v1', 'Role', 'r', {
          metadata: { name: 'r', namespace: `n${at}` },
          rules: [PODS],
        }),
      ),
      most: 0,
    },
    {
      because: 'a role has more rules than can be compared',
      more: boundRole(Array.from({ length: 6000 }, (_, at) => ({ ...PODS, apiGroups: [`g${at}`] }))),
      most: 4,
    },
    {
      because: 'a rule has more combinations than can be asked about',
      more: boundRole([{ ...PODS, resources: Array.from({ length: 1200 }, (_, at) => `r${at}`) }]),
      most: 4,
    },
  ])('are not known, and are not asked about: $because', async ({ more, most }) => {
    let questions = 0;
    const counting = { allows: async () => (questions++, false) };
    const found = await findMissingRights(counting, { to: side({ more }) }, { account, signal });
    expect([found, questions <= most]).toEqual([undefined, true]);
  });
});
