import { describe, expect, test } from 'vitest';
import { CATALOG } from '../../api/catalog.ts';
import { parseObject } from '../../api/kind.ts';
import { API_VERSION } from '../../api/names.ts';
import { keyOfObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { observeSubscription, type SubscriptionCaches, type SubscriptionFacts } from './observe.ts';
import { NOW, revision, subscription } from './testdata/facts.ts';

const catalogs = ['gold', 'iron'].map((tier) =>
  parseObject(CATALOG, {
    apiVersion: API_VERSION,
    kind: 'Catalog',
    metadata: { name: `c-${tier}`, labels: { tier } },
    spec: { source: { image: { ref: 'registry.example/catalog:1' } } },
  }),
);

function selectedBy(spec: object): readonly (readonly [string, boolean | undefined])[] {
  const one = subscription({ spec });
  const caches: SubscriptionCaches = {
    subscriptions: { get: () => one, list: () => [one] },
    revisions: { get: () => undefined, byIndex: () => [] },
    catalogs: { list: () => catalogs.toReversed() },
    content: { get: () => undefined },
  };
  const server = { providedKinds: [] };
  const facts = observeSubscription(caches, { namespace: 'ops', name: 'gadget' }, { server, now: NOW });
  return facts?.catalogs.map(({ name, selected }) => [name, selected] as const) ?? [];
}

test.each([
  { because: 'nothing is said', spec: {}, selected: [true, true] },
  { because: 'one is named', spec: { catalog: 'c-iron' }, selected: [false, true] },
  { because: 'one is misspelt', spec: { catalog: 'c-irony' }, selected: [false, false] },
  { because: 'labels are asked for', spec: { catalogSelector: { matchLabels: { tier: 'gold' } } }, selected: [true, false] }, // prettier-ignore
])('all catalogs are seen, with whether they are selected: $because', ({ spec, selected }) => {
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
      because: 'one has the largest number that there is',
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
    'are those that the manager made; the next has a number and a name of its own: $because',
    ({ others, next }) => {
      const facts = among([...others, genuine]);
      expect([facts.revisions, facts.nextNumber]).toEqual([[genuine], next]);
    },
  );

  test('are in the order of their numbers', () => {
    const numbers = [10, 2, 1].map((number) => revision({ number }));
    expect(among(numbers).revisions.map(({ spec }) => spec.number)).toEqual([1, 2, 10]);
  });

  test('begin with 1', () => {
    expect(among([]).nextNumber).toBe(1);
  });
});

test('what a Revision that a person made needs and provides concerns no other Subscription', () => {
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
    };
    return observeSubscription(
      caches,
      { namespace: 'ops', name: 'gadget' },
      { server: { providedKinds: [] }, now: NOW },
    )?.cluster.coming;
  });
  expect(coming.map((all) => all?.length)).toEqual([0, 1]);
});
