import { describe, expect, test } from 'vitest';
import { CATALOG, type Catalog } from '../../api/catalog.ts';
import { parseObject } from '../../api/kind.ts';
import { API_VERSION } from '../../api/names.ts';
import { keyOfObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { CatalogSource } from '../../resolver/input.ts';
import { observeSubscription, type SubscriptionCaches, type SubscriptionFacts } from './observe.ts';
import { NOW, revision, subscription } from './testing/facts.ts';

const catalogs = ['gold', 'iron'].map((tier) =>
  parseObject(CATALOG, {
    apiVersion: API_VERSION,
    kind: 'Catalog',
    metadata: { name: `c-${tier}`, labels: { tier } },
    spec: { source: { image: { ref: 'registry.example/catalog:1' } } },
  }),
);

function observed(one: Subscription, among: readonly Catalog[] = catalogs): readonly CatalogSource[] {
  const caches: SubscriptionCaches = {
    subscriptions: { get: () => one, list: () => [one] },
    revisions: { get: () => undefined, byIndex: () => [] },
    catalogs: { list: () => among.toReversed() },
    content: { get: () => undefined },
    namespaces: {
      get: () => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops', labels: { team: 'a' } } }),
    },
  };
  const server = { providedKinds: [] };
  return observeSubscription(caches, { namespace: 'ops', name: 'gadget' }, { server, now: NOW })?.catalogs ?? [];
}

function selectedBy(spec: object): readonly (readonly [string, boolean | undefined])[] {
  return observed(subscription({ spec })).map(({ name, selected }) => [name, selected] as const);
}

test.each([
  { because: 'the spec does not limit them', spec: {}, selected: [true, true] },
  { because: 'the spec names one', spec: { catalog: 'c-iron' }, selected: [false, true] },
  { because: 'the spec misspells one', spec: { catalog: 'c-irony' }, selected: [false, false] },
  { because: 'the spec requires labels', spec: { catalogSelector: { matchLabels: { tier: 'gold' } } }, selected: [true, false] }, // prettier-ignore
])('all catalogs are gathered, with whether they are selected: $because', ({ spec, selected }) => {
  expect(selectedBy(spec)).toEqual([
    ['c-gold', selected[0]],
    ['c-iron', selected[1]],
  ]);
});

/** The facts about the Subscription ops/gadget among these Revisions. */
function among(revisions: readonly Revision[], one: Subscription = subscription()): SubscriptionFacts {
  const caches: SubscriptionCaches = {
    subscriptions: { get: () => one, list: () => [one] },
    revisions: {
      get: (key) => revisions.find((each) => keyOfObject(each) === key),
      byIndex: (_index, owner) =>
        revisions.filter(({ metadata, spec }) => `${metadata.namespace}/${spec.subscription}` === owner),
    },
    catalogs: { list: () => [] },
    content: { get: () => undefined },
    namespaces: { get: () => undefined },
  };
  const facts = observeSubscription(
    caches,
    { namespace: 'ops', name: 'gadget' },
    { server: { providedKinds: [] }, now: NOW },
  );
  if (facts === undefined) throw new Error('the Subscription is there');
  return facts;
}

function named(name: string, { metadata, ...rest }: Revision): Revision {
  return { ...rest, metadata: { ...metadata, name } };
}

function ownedBy(uid: string, { metadata, ...rest }: Revision): Revision {
  const ownerReferences = metadata.ownerReferences?.map((owner) => ({ ...owner, uid }));
  return { ...rest, metadata: { ...metadata, ownerReferences: ownerReferences ?? [] } };
}

describe('the Revisions of a Subscription', () => {
  const genuine = revision({ number: 1 });
  const LARGEST = 2147483647;
  const cases: readonly { others: readonly Revision[]; next: number; because: string }[] = [
    { others: [], next: 2, because: 'there is no other' },
    { others: [ownedBy('earlier', revision({ number: 2 }))], next: 3, because: 'one is of an earlier Subscription' },
    {
      others: [named('mine', revision({ number: 2 }))],
      next: 3,
      because: 'one has the next number under another name',
    },
    {
      others: [named('mine', revision({ number: LARGEST }))],
      next: 2,
      because: 'one has the largest possible number',
    },
    {
      others: [named('gadget-2', revision({ number: 7, subscription: 'other' }))],
      next: 3,
      because: 'one of another Subscription has the next name',
    },
    {
      others: [2, 3, 4].map((number) => ownedBy('', revision({ number }))),
      next: 5,
      because: 'the next names are all taken by Revisions without an owner',
    },
  ];
  test.each(cases)(
    'only genuine Revisions are gathered; the next has a number and a name of its own: $because',
    ({ others, next }) => {
      const facts = among([...others, genuine]);
      expect([facts.revisions, facts.nextNumber]).toEqual([[genuine], next]);
    },
  );

  test('Revisions are in the order of their numbers', () => {
    const numbers = [10, 2, 1].map((number) => revision({ number }));
    expect(among(numbers).revisions.map(({ spec }) => spec.number)).toEqual([1, 2, 10]);
  });

  test('the first Revision has the number 1', () => {
    expect(among([]).nextNumber).toBe(1);
  });

  test('the number of a Revision that is gone is not given again', () => {
    const one = subscription({ status: { lastNumber: 4 } });
    expect(among([genuine], one).nextNumber).toBe(5);
    expect(among([genuine, revision({ number: 7 })], one).nextNumber).toBe(8);
  });

  test.each([2147483647, -3, 0.5, Number.NaN])(
    'a status with the last number %d is forged, and counts as none',
    (lastNumber) => {
      expect(among([genuine], subscription({ status: { lastNumber } })).nextNumber).toBe(2);
    },
  );
});

test('the properties of a Revision that a person made concern no other Subscription', () => {
  const properties = [{ type: 'olm.package.required', value: '{"packageName":"gadget","versionRange":">9.0.0"}' }];
  const other = subscription({ name: 'pin', spec: { package: 'pin' } });
  const forged = ownedBy('', revision({ package: 'pin', properties }));
  const made = revision({ package: 'pin', properties });
  const coming = [forged, made].map((one) => {
    const caches: SubscriptionCaches = {
      subscriptions: { get: () => subscription(), list: () => [other] },
      revisions: { get: () => undefined, byIndex: (_index, owner) => (owner === 'ops/pin' ? [one] : []) },
      catalogs: { list: () => [] },
      content: { get: () => undefined },
      namespaces: { get: () => undefined },
    };
    return observeSubscription(
      caches,
      { namespace: 'ops', name: 'gadget' },
      { server: { providedKinds: [] }, now: NOW },
    )?.cluster.coming;
  });
  expect(coming.map((all) => all?.length)).toEqual([0, 1]);
});

describe('a Catalog with spec.allowedNamespaces', () => {
  const installed = { bundle: 'b', version: '1.0.0', image: 'i', catalog: 'c-gold', revision: 'gadget-1' };
  const gold = (allowedNamespaces: Catalog['spec']['allowedNamespaces']): readonly Catalog[] =>
    catalogs.map((one) =>
      one.metadata.name === 'c-gold' && allowedNamespaces !== undefined
        ? { ...one, spec: { ...one.spec, allowedNamespaces } }
        : one,
    );
  const others = { matchLabels: { team: 'b' } };

  test.each([
    { because: 'it has no selector', selector: undefined, parts: {}, state: 'Unavailable' },
    { because: 'it selects all', selector: {}, parts: {}, state: 'Unavailable' },
    { because: 'it selects this one', selector: { matchLabels: { team: 'a' } }, parts: {}, state: 'Unavailable' },
    {
      because: 'it selects others, and the Subscription does not refer to it',
      selector: others,
      parts: {},
      state: undefined,
    },
    { because: 'the spec names it', selector: others, parts: { spec: { catalog: 'c-gold' } }, state: 'NotAllowed' },
    {
      because: 'something is installed from it',
      selector: others,
      parts: { status: { installed } },
      state: 'NotAllowed',
    },
    {
      because: 'its selector is invalid, and would otherwise exclude no namespace',
      selector: { matchExpressions: [{ key: 'a b', operator: 'NotIn', values: ['x'] }] },
      parts: { spec: { catalog: 'c-gold' } },
      state: 'NotAllowed',
    },
  ] as const)(
    'the state of a Catalog with spec.allowedNamespaces is $state: $because',
    ({ selector, parts, state }) => {
      const seen = observed(subscription(parts), gold(selector)).find(({ name }) => name === 'c-gold');
      expect(seen?.state).toBe(state);
      expect(seen?.message !== undefined).toBe(state === 'NotAllowed');
    },
  );

  test.each([
    { selector: { matchLabels: { team: 'b' } }, says: 'labels team=b, which namespace ops' },
    {
      selector: {
        matchExpressions: [
          { key: 'team', operator: 'In', values: ['b', 'c'] },
          { key: 'x', operator: 'Exists' },
        ],
      },
      says: 'labels team in (b,c), x, which namespace ops',
    },
    { selector: { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] }, says: 'labels !team, which' },
    { selector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['a'] }] }, says: 'team notin (a)' },
    { selector: { matchLabels: { 'a b': 'x' } }, says: 'has to correct Catalog c-gold' },
  ] as const)('a Catalog that may not be used names the missing labels: $says', ({ selector, says }) => {
    const seen = observed(subscription({ spec: { catalog: 'c-gold' } }), gold(selector));
    expect(seen.find(({ name }) => name === 'c-gold')?.message).toContain(says);
  });
});
