import { expect, test } from 'vitest';
import { CATALOG } from '../../api/catalog.ts';
import { parseObject } from '../../api/kind.ts';
import { API_VERSION } from '../../api/names.ts';
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

function selectedBy(spec: object): readonly (readonly [string, boolean | undefined])[] {
  const one = subscription({ spec });
  const caches: SubscriptionCaches = {
    subscriptions: { get: () => one, list: () => [one] },
    revisions: { byIndex: () => [] },
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
