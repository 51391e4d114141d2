/** Products of lists that a bundle chooses: their parts are counted before they are made, and none is hidden by others. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { sample } from '../../apply/testing/sample-objects.ts';
import { atomsOf } from './atoms-of.ts';
import { compareRights } from './compare.ts';

const RBAC = 'rbac.authorization.k8s.io';
const MOST_ATOMS = 30_000;
const list = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`);
const rule = (resources: readonly string[], count = 1): object => ({
  apiGroups: list('g', count),
  resources,
  verbs: list('v', count),
});
const rules = (count: number): object[] => list('r', count).map((resource) => rule([resource]));
const users = (count: number): object[] => list('u', count).map((name) => ({ kind: 'User', apiGroup: RBAC, name }));
const labelled = (name: string, labels: object, more: object = {}): KubeObject =>
  sample(`${RBAC}/v1`, 'ClusterRole', name, { metadata: { name, labels }, ...more });

function bound(role: string, subjects: readonly object[], name = role): KubeObject {
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: role };
  return sample(`${RBAC}/v1`, 'ClusterRoleBinding', name, { roleRef, subjects });
}

function role(name: string, own: readonly object[]): readonly KubeObject[] {
  return [sample(`${RBAC}/v1`, 'ClusterRole', name, { rules: own }), bound(name, users(1))];
}

function webhook(own: readonly object[], more: object = {}): KubeObject {
  const webhooks = [{ name: 'w', rules: own, ...more }];
  return sample('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'hook', { webhooks });
}

const intercepts = (count: number): object => ({
  apiGroups: list('g', count),
  resources: list('r', count),
  operations: ['CREATE', 'UPDATE'],
});
const collecting = {
  aggregationRule: { clusterRoleSelectors: list('s', 400).map((key) => ({ matchLabels: { [key]: 'yes' } })) },
};

const HOSTILE: readonly { because: string; objects: readonly KubeObject[]; words: RegExp }[] = [
  {
    because: 'a webhook has lists for groups, resources and operations',
    objects: [webhook([intercepts(200)])],
    words: /^intercepts writes by rules with 80000 combinations, which are too many to compare/,
  },
  {
    because: 'a role has holders and rules',
    objects: [sample(`${RBAC}/v1`, 'ClusterRole', 'x', { rules: rules(400) }), bound('x', users(400))],
    words: /^has rules with \d+ combinations in every namespace, which are too many to compare/,
  },
  {
    because: 'a rule has lists for groups, resources and verbs',
    objects: role('x', [rule(list('r', 40), 40)]),
    words: /^has rules with 64000 combinations in every namespace, which are too many to compare/,
  },
  {
    because: 'many small rules have as many parts as a large one',
    objects: role('x', rules(40_000)),
    words: /^has rules with \d+ combinations in every namespace, which are too many to compare/,
  },
  {
    because: 'a role collects others by selectors, and has holders',
    objects: [labelled('x', {}, collecting), bound('x', users(400))],
    words: /^has rules with \d+ combinations in every namespace, which are too many to compare/,
  },
  {
    because: 'selectors meet roles',
    objects: [
      labelled('x', {}, collecting),
      ...list('c', 400).map((name) => labelled(name, { a: 'b' })),
      bound('x', users(1)),
    ],
    words: /^has the rights of ClusterRoles by 400 selectors, which are too many to compare/,
  },
  {
    because: 'a role is filled from many that are filled from each other',
    objects: [
      ...list('c', 400).map((name) =>
        labelled(name, { a: 'b' }, { aggregationRule: { clusterRoleSelectors: [{}, {}] } }),
      ),
      bound('c0', users(1)),
    ],
    words: /^has the rights of ClusterRoles by 2 selectors, which are too many to compare/,
  },
  {
    because: 'labels add the rules of a role to many others',
    objects: [
      labelled('x', Object.fromEntries(list('l', 400).map((one) => [`${RBAC}/aggregate-to-${one}`, 'true'])), {
        rules: rules(400),
      }),
    ],
    words: /^has rules with \d+ combinations in the namespaces of that role, which are too many to compare/,
  },
  {
    because: 'a long text is copied into every part',
    objects: role('x', [{ ...rule(['x'.repeat(100_000)]), verbs: list('v', 100) }]),
    words: /^has rules with 100 combinations in every namespace, which are too many to compare/,
  },
];

describe('rights beyond the budget', () => {
  test.each(HOSTILE)('are one right whose extent is not known: $because', ({ objects, words }) => {
    const atoms = atomsOf(objects, new Map());
    expect(atoms.length).toBeLessThanOrEqual(MOST_ATOMS);
    const stated = atoms.flatMap((atom) =>
      atom.kind === 'stated' && words.test(atom.right.words) ? [atom.right] : [],
    );
    expect(stated).toEqual([expect.objectContaining({ danger: 'critical', isOpen: true })]);
  });

  test.each(HOSTILE)('are no gain if they are there already, in whatever order: $because', ({ objects }) => {
    expect(compareRights(objects, objects)).toEqual({ gained: [], lost: [] });
    expect(compareRights(objects, objects.toReversed())).toEqual({ gained: [], lost: [] });
  });

  test.each(HOSTILE)('are gained by a bundle that did not have them: $because', ({ objects }) => {
    expect(compareRights([], objects).gained.some(({ isOpen }) => isOpen === true)).toBe(true);
  });

  test('leave the other rules to be compared one by one', () => {
    const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
    const huge = role('x', [rule(list('r', 40), 40), secrets]);
    expect(compareRights([], huge).gained.map(({ words }) => words)).toContain('may read Secrets in every namespace');
  });

  test.each([
    {
      because: 'another rule has as many combinations, and texts of the same simple checksum',
      before: role('x', [rule([...list('r', 40), 'Aa'], 40)]),
      after: role('x', [rule([...list('r', 40), 'BB'], 40)]),
    },
    {
      because: 'another group is intercepted',
      before: [webhook([{ ...intercepts(200), apiGroups: list('g', 200) }])],
      after: [webhook([{ ...intercepts(200), apiGroups: list('h', 200) }])],
    },
    {
      because: 'a role that is collected has another rule',
      before: [...(HOSTILE[5]?.objects ?? []), labelled('last', {}, { rules: rules(1) })],
      after: [...(HOSTILE[5]?.objects ?? []), labelled('last', {}, { rules: rules(2) })],
    },
    {
      because: 'a role that is collected is filled from others',
      before: [...(HOSTILE[5]?.objects ?? []), labelled('last', {}, { aggregationRule: collecting.aggregationRule })],
      after: [
        ...(HOSTILE[5]?.objects ?? []),
        labelled('last', {}, { aggregationRule: { clusterRoleSelectors: [{}] } }),
      ],
    },
  ])('are gained if they differ from those that are there: $because', ({ before, after }) => {
    expect(compareRights(before, after).gained).toHaveLength(1);
  });
});
