/** For every misspelt name, the suggested name exists and may be used in the namespace. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import { CATALOG, type Catalog } from '../../api/catalog.ts';
import type { Condition } from '../../api/conditions.ts';
import { parseObject } from '../../api/kind.ts';
import { API_VERSION } from '../../api/names.ts';
import type { CatalogIndex } from '../../catalog/index/open.ts';
import type { Suggestion } from '../../resolver/decision.ts';
import { explainDecision } from '../../resolver/explain.ts';
import { resolve } from '../../resolver/resolve.ts';
import { chainOf } from '../../resolver/testing/ask.ts';
import { expandPackage } from '../../resolver/testing/small-catalogs.ts';
import { observeSubscription, type SubscriptionCaches, type SubscriptionFacts } from './observe.ts';
import { NOW, subscription } from './testing/facts.ts';

interface Given {
  readonly name: string;
  readonly packages: readonly string[];
  readonly allowed: boolean;
  readonly served: boolean;
  readonly conditions?: readonly Condition[];
}

const CHANNELS = ['stable', 'candidate'];

function catalogOf({ name, allowed, conditions }: Given): Catalog {
  const catalog: Catalog = parseObject(CATALOG, {
    apiVersion: API_VERSION,
    kind: 'Catalog',
    metadata: { name, generation: 2 },
    spec: {
      source: { image: { ref: 'registry.example/catalog:1' } },
      ...(!allowed && { allowedNamespaces: { matchLabels: { team: 'b' } } }),
    },
  });
  return conditions === undefined ? catalog : { ...catalog, status: { conditions } };
}

function indexOf({ packages }: Given): CatalogIndex {
  const [version] = ['1.0.0'];
  const small = {
    bundles: chainOf(version).bundles,
    channels: Object.fromEntries(CHANNELS.map((one) => [one, [{ version }]])),
  };
  return {
    packages: () => packages.map((name) => ({ name })),
    package: (name: string) => (packages.includes(name) ? expandPackage(name, small) : undefined),
    providersOf: () => [],
  } as unknown as CatalogIndex;
}

function factsOf(spec: object, given: readonly Given[]): SubscriptionFacts {
  const one = subscription({ spec });
  const caches: SubscriptionCaches = {
    subscriptions: { get: () => one, list: () => [one] },
    revisions: { get: () => undefined, byIndex: () => [] },
    catalogs: { list: () => given.map(catalogOf) },
    content: {
      get: (name) => {
        const found = given.find((each) => each.name === name && each.served);
        return found && { digest: 'd', index: indexOf(found) };
      },
    },
    namespaces: {
      get: () => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops', labels: { team: 'a' } } }),
    },
  };
  const key = { namespace: 'ops', name: 'gadget' };
  const facts = observeSubscription(caches, key, { server: { providedKinds: [] }, now: NOW });
  if (facts === undefined) throw new Error('the Subscription is there');
  return facts;
}

const word = fc.constantFrom('gadget', 'gadgte', 'gadgets', 'gadget-operator', 'gizmo', 'stable', 'stabel', 'candidat');
const catalogs: fc.Arbitrary<readonly Given[]> = fc.uniqueArray(
  fc.record({
    name: word,
    packages: fc.uniqueArray(word, { maxLength: 4 }),
    allowed: fc.boolean(),
    served: fc.boolean(),
  }),
  { selector: ({ name }) => name, maxLength: 4 },
);
const asked = fc.record(
  { package: word, catalog: word, channel: word, version: fc.constantFrom('1.0.0', '9.0.0', 'nonsense') },
  { requiredKeys: ['package'] },
);

/** The names in a suggestion, by their kind. */
function namesIn(suggestion: Suggestion): Readonly<Record<'packages' | 'catalogs' | 'channels', readonly string[]>> {
  const none = { packages: [], catalogs: [], channels: [] };
  switch (suggestion.change) {
    case 'package':
      return { ...none, packages: suggestion.packages };
    case 'catalog':
      return { ...none, catalogs: suggestion.catalogs };
    case 'wait':
      return { ...none, catalogs: [suggestion.catalog] };
    case 'channel':
      return { ...none, channels: [suggestion.channel] };
    default:
      return none;
  }
}

test('a suggestion exists in a Catalog that may be used in the namespace, and names nothing of another Catalog', () => {
  const seen = { packages: 0, catalogs: 0, channels: 0 };
  fc.assert(
    fc.property(asked, catalogs, (spec, given) => {
      const { catalogs: sources } = factsOf(spec, given);
      const decision = resolve({
        wanted: { edges: 'Follow', dependencies: 'Install', ...spec },
        catalogs: sources,
        quarantined: [],
      });
      if (decision.kind !== 'none') return;
      const allowed = given.filter((one) => one.allowed);
      const served = allowed.filter((one) => one.served);
      for (const { packages, catalogs: named, channels } of decision.suggestions.map(namesIn)) {
        expect(served.flatMap((one) => one.packages)).toEqual(expect.arrayContaining([...packages]));
        expect(allowed.map(({ name }) => name)).toEqual(expect.arrayContaining([...named]));
        expect(CHANNELS).toEqual(expect.arrayContaining([...channels]));
        seen.packages += packages.length;
        seen.catalogs += named.length;
        seen.channels += channels.length;
      }
      const onlyNotAllowed = given.map((one) => (one.allowed ? one : { ...one, packages: ['other'] }));
      const again = resolve({
        wanted: { edges: 'Follow', dependencies: 'Install', ...spec },
        catalogs: factsOf(spec, onlyNotAllowed).catalogs,
        quarantined: [],
      });
      expect(explainDecision(again, spec.package)).toEqual(explainDecision(decision, spec.package));
    }),
    { numRuns: runsOf(3000) },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(runsOf(10));
});

describe('whether a Catalog without content counts as unreadable', () => {
  const ready = (status: 'True' | 'False', observedGeneration: number): readonly Condition[] => [
    { type: 'Ready', status, reason: 'RegistryUnavailable', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration }, // prettier-ignore
  ];
  test.each([
    { because: 'its source was tried without success', conditions: ready('False', 2), unreadable: true },
    { because: 'nothing has been tried yet', conditions: undefined, unreadable: undefined },
    { because: 'its spec has changed since', conditions: ready('False', 1), unreadable: undefined },
    { because: 'its earlier content is about to be opened again', conditions: ready('True', 2), unreadable: undefined },
  ])('a Catalog without content counts as unreadable: $unreadable: $because', ({ conditions, unreadable }) => {
    const given: Given = { name: 'c', packages: [], allowed: true, served: false, ...(conditions && { conditions }) };
    expect(factsOf({ package: 'gadget' }, [given]).catalogs[0]).toMatchObject({ state: 'Unavailable' });
    expect(factsOf({ package: 'gadget' }, [given]).catalogs[0]?.unreadable).toBe(unreadable);
  });
});
