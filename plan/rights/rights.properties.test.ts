/** Holds the comparison of rights against a naive one, which sends every request of a small world to both sides. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import type { KubeObject } from '../../api/object.ts';
import { sample } from '../../apply/testing/sample-objects.ts';
import { compareRights } from './compare.ts';

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Bound {
  /** Absent: everywhere. */
  readonly namespace: string | undefined;
  readonly rules: readonly Rule[];
}

const some = (...values: readonly string[]): fc.Arbitrary<readonly string[]> =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });

const VERBS = ['get', 'create', 'escalate', '*'];
const resourceRule: fc.Arbitrary<Rule> = fc.record({
  verbs: some(...VERBS),
  apiGroups: some('', 'apps', '*'),
  resources: some('pods', 'pods/exec', 'widgets', 'widgets/scale', '*', '*/scale', '*/exec'),
  resourceNames: fc.oneof(fc.constant([]), some('a', 'b')),
});
const urlRule: fc.Arbitrary<Rule> = fc.record({
  verbs: some(...VERBS),
  nonResourceURLs: some('/a', '/a*', '/a/*', '/b', '/a/x**', '*'),
});
const rule = fc.oneof({ weight: 4, arbitrary: resourceRule }, { weight: 1, arbitrary: urlRule });
const bound: fc.Arbitrary<Bound> = fc.record({
  namespace: fc.constantFrom(undefined, 'ops', 'other'),
  rules: fc.array(rule, { maxLength: 3 }),
});
const operator = fc.array(bound, { maxLength: 3 });

function objectsOf(all: readonly Bound[]): readonly KubeObject[] {
  const rbac = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'ServiceAccount', name: 'robot', namespace: 'ops' }];
  return [
    sample('v1', 'ServiceAccount', 'robot', { namespace: 'ops' }),
    ...all.flatMap(({ namespace, rules }, at) => [
      sample(`${rbac}/v1`, 'ClusterRole', `role-${at}`, { rules }),
      sample(`${rbac}/v1`, namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding', `role-${at}`, {
        ...(namespace !== undefined && { namespace }),
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: `role-${at}` },
        subjects,
      }),
    ]),
  ];
}

type Request =
  | { readonly url: string; readonly verb: string }
  | {
      readonly namespace: string;
      readonly group: string;
      readonly resource: string;
      readonly verb: string;
      readonly name: string;
    };

/** Every dimension has a value that no rule names, so that a wildcard differs from a list of everything else. */
const WORLD: readonly Request[] = [
  ...product(['/a', '/a/', '/a/x', '/a/xy', '/ab', '/b', '/unnamed'], ['get', 'create', 'escalate', 'unnamed']).map(
    ([url, verb]) => ({ url: url as string, verb: verb as string }),
  ),
  ...product(
    ['ops', 'other', 'unnamed'],
    ['', 'apps', 'unnamed'],
    ['pods', 'pods/exec', 'pods/unnamed', 'widgets', 'widgets/scale', 'unnamed', 'unnamed/scale', 'unnamed/exec'],
    ['get', 'create', 'escalate', 'unnamed'],
    ['a', 'b', 'unnamed'],
  ).map(([namespace, group, resource, verb, name]) => ({ namespace, group, resource, verb, name }) as Request),
];

function product(...lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return lists.reduce<readonly (readonly string[])[]>(
    (rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])),
    [[]],
  );
}

/** As the authorizer of the API server decides. */
function allows(all: readonly Bound[], request: Request): boolean {
  return all.some(({ namespace, rules }) =>
    rules.some((rule) =>
      'url' in request
        ? namespace === undefined && allowsUrl(rule, request)
        : (namespace === undefined || namespace === request.namespace) && allowsResource(rule, request),
    ),
  );
}

function allowsUrl({ verbs, nonResourceURLs = [] }: Rule, { url, verb }: { url: string; verb: string }): boolean {
  const isMet = (pattern: string): boolean =>
    pattern === url || (pattern.endsWith('*') && url.startsWith(pattern.replace(/\*+$/, '')));
  return (verbs.includes('*') || verbs.includes(verb)) && nonResourceURLs.some(isMet);
}

function allowsResource(rule: Rule, request: Exclude<Request, { readonly url: string }>): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [] } = rule;
  const { group, resource, verb, name } = request;
  const subresource = resource.split('/')[1];
  return (
    (verbs.includes('*') || verbs.includes(verb)) &&
    (apiGroups.includes('*') || apiGroups.includes(group)) &&
    (resources.includes('*') ||
      resources.includes(resource) ||
      (subresource !== undefined && resources.includes(`*/${subresource}`))) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

describe('the comparison of rights', () => {
  test('finds a gain if, and only if, some request is allowed that was not, and a loss likewise', () => {
    fc.assert(
      fc.property(operator, operator, (before, after) => {
        const { gained, lost } = compareRights(objectsOf(before), objectsOf(after));
        expect(gained.length > 0).toBe(WORLD.some((one) => allows(after, one) && !allows(before, one)));
        expect(lost.length > 0).toBe(WORLD.some((one) => allows(before, one) && !allows(after, one)));
      }),
      { numRuns: runsOf(400) },
    );
  });

  test('finds no gain in a longer list that grants nothing new', () => {
    fc.assert(
      fc.property(operator, fc.array(fc.nat()), (before, picks) => {
        const all = before.flatMap(({ namespace, rules }) => rules.map((rule) => ({ namespace, rules: [rule] })));
        const repeated = all.length === 0 ? [] : picks.map((pick) => all[pick % all.length] as Bound);
        expect(compareRights(objectsOf(before), objectsOf([...before, ...repeated]))).toEqual({ gained: [], lost: [] });
      }),
    );
  });

  test('swaps gains and losses if the sides are swapped', () => {
    fc.assert(
      fc.property(operator, operator, (before, after) => {
        const there = compareRights(objectsOf(before), objectsOf(after));
        const back = compareRights(objectsOf(after), objectsOf(before));
        expect(back).toEqual({ gained: there.lost, lost: there.gained });
      }),
    );
  });
});
