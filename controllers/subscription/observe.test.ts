import { describe, expect, test } from 'vitest';
import { CATALOG, type Catalog } from '../../api/catalog.ts';
import { parseObject } from '../../api/kind.ts';
import { API_VERSION } from '../../api/names.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { CatalogSource } from '../../resolver/input.ts';
import { observeSubscription, type SubscriptionCaches } from './observe.ts';
import { NOW, subscription } from './testdata/facts.ts';

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
    revisions: { byIndex: () => [] },
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

describe('a Catalog that says which namespaces may use it', () => {
  const installed = { bundle: 'b', version: '1.0.0', image: 'i', catalog: 'c-gold', revision: 'gadget-1' };
  const gold = (allowedNamespaces: Catalog['spec']['allowedNamespaces']): readonly Catalog[] =>
    catalogs.map((one) =>
      one.metadata.name === 'c-gold' && allowedNamespaces !== undefined
        ? { ...one, spec: { ...one.spec, allowedNamespaces } }
        : one,
    );
  const others = { matchLabels: { team: 'b' } };

  test.each([
    { because: 'it says nothing', selector: undefined, parts: {}, state: 'Unavailable' },
    { because: 'it selects all', selector: {}, parts: {}, state: 'Unavailable' },
    { because: 'it selects this one', selector: { matchLabels: { team: 'a' } }, parts: {}, state: 'Unavailable' },
    { because: 'it selects others, and nothing here is about it', selector: others, parts: {}, state: undefined },
    { because: 'the spec names it', selector: others, parts: { spec: { catalog: 'c-gold' } }, state: 'NotAllowed' },
    {
      because: 'something is installed from it',
      selector: others,
      parts: { status: { installed } },
      state: 'NotAllowed',
    },
    {
      because: 'its selector means nothing, and would otherwise exclude none',
      selector: { matchExpressions: [{ key: 'a b', operator: 'NotIn', values: ['x'] }] },
      parts: { spec: { catalog: 'c-gold' } },
      state: 'NotAllowed',
    },
  ] as const)('is seen as $state: $because', ({ selector, parts, state }) => {
    const seen = observed(subscription(parts), gold(selector)).find(({ name }) => name === 'c-gold');
    expect(seen?.state).toBe(state);
    expect(seen?.message !== undefined).toBe(state === 'NotAllowed');
  });

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
  ] as const)('says which labels are missing: $says', ({ selector, says }) => {
    const seen = observed(subscription({ spec: { catalog: 'c-gold' } }), gold(selector));
    expect(seen.find(({ name }) => name === 'c-gold')?.message).toContain(says);
  });
});
