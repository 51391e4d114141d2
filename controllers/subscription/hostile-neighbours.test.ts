/** No Subscription, Revision or Catalog that the API server accepts stops the Subscription beside it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import { CATALOG, type Catalog } from '../../api/catalog.ts';
import { parseObject } from '../../api/kind.ts';
import { API_VERSION, LABEL } from '../../api/names.ts';
import { keyOfObject } from '../../api/object.ts';
import { Revision } from '../../api/revision.ts';
import { SUBSCRIPTION, type Subscription } from '../../api/subscription.ts';
import { BY_SUBSCRIPTION, subscriptionKey } from '../by-subscription.ts';
import type { CatalogContent } from '../catalog-content.ts';
import { propertiesOf, propertyProblem } from '../revision-properties.ts';
import { decideSubscription } from './decide.ts';
import { observeSubscription, type SubscriptionCaches } from './observe.ts';
import { dependentsToGoFirst } from './remove.ts';
import { dependenciesToDelete } from './requested-dependencies.ts';
import { catalog, NOW, revision, subscription } from './testing/facts.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const constraints = (levels: number, kind: string): string =>
  `${`{"${kind}":{"constraints":[`.repeat(levels)}{"cel":{"rule":"true"}}${']}}'.repeat(levels)}`;

const HOSTILE = [
  'not json',
  '',
  'null',
  '7',
  '"text"',
  '[]',
  '{"__proto__":{"packageName":"gadget"}}',
  '{"packageName":"gadget","versionRange":"<1.0.0"}',
  '{"packageName":"gadget","versionRange":"not a range"}',
  '{"packageName":{"toString":1},"versionRange":[]}',
  '{"group":"g","version":"v1","kind":"K"}',
  '{"cel":{"rule":"properties.exists(p, p.value == p.value)"}}',
  '{"package":{"packageName":"gadget","versionRange":">9.0.0"}}',
  nested(5000),
  nested(512),
  ...['all', 'any', 'not'].flatMap((kind) => [constraints(900, kind), constraints(15, kind), constraints(170, kind)]),
];

const property = fc.record({
  type: fc.oneof(
    fc.constantFrom('olm.gvk', 'olm.package.required', 'olm.gvk.required', 'olm.constraint', 'olm.label.required'),
    fc.string({ minLength: 1, maxLength: 60 }),
  ),
  value: fc.oneof(fc.constantFrom(...HOSTILE), fc.json({ maxDepth: 6 }), fc.string({ maxLength: 300 })),
});

/** `account`: a Subscription with one may not hold back the other. */
const neighbour = (account: fc.Arbitrary<string | undefined>): fc.Arbitrary<readonly [Subscription, Revision]> =>
  fc
    .record({
      account,
      properties: fc.array(property, { maxLength: 6 }),
      package: fc.constantFrom('gadget', 'other', 'x'.repeat(200), 'a..b', 'constructor'),
      version: fc.oneof(fc.constantFrom('1.0.0', '2.0.0', 'none', '>'), fc.string({ minLength: 1, maxLength: 60 })),
      text: fc.string({ maxLength: 100 }),
      labels: fc.dictionary(fc.string({ maxLength: 20 }), fc.string({ maxLength: 63 }), { maxKeys: 4 }),
      flags: fc.record({
        isInstalled: fc.boolean(),
        approved: fc.boolean(),
        suspend: fc.boolean(),
        leaves: fc.boolean(),
      }),
      number: fc.integer({ min: 1, max: 2147483647 }),
    })
    .map(({ flags: { isInstalled, approved, suspend, leaves }, text, ...parts }) => {
      const { number, properties, version, account: serviceAccountName } = parts;
      const one = revision({ number, package: parts.package, version, properties, approved, subscription: 'other' });
      const placed: Revision = { ...one, metadata: { ...one.metadata, namespace: 'team-a' } };
      const installed = {
        bundle: text || 'b',
        version,
        image: text.replaceAll(/\s/g, '') || 'i',
        catalog: 'main',
        revision: one.metadata.name,
      };
      const spec = { package: parts.package, suspend, ...(serviceAccountName !== undefined && { serviceAccountName }) };
      const owner = subscription({
        name: 'other',
        namespace: 'team-a',
        metadata: {
          labels: { ...parts.labels, [LABEL.dependency]: 'true' },
          ...(leaves && { deletionTimestamp: '2026-05-01T11:59:00Z' }),
        },
        spec,
        status: {
          ...(isInstalled && { installed }),
          pending: { bundle: text || 'b', version, reason: 'DependencyNotReady' },
        },
      });
      return [owner, placed] as const;
    });

const strangers: fc.Arbitrary<readonly Catalog[]> = fc.array(
  fc
    .record({ name: fc.constantFrom('other', 'main-2'), message: fc.string({ maxLength: 200 }), text: fc.string() })
    .map(({ name, message, text }) => ({
      ...parseObject(CATALOG, {
        apiVersion: API_VERSION,
        kind: 'Catalog',
        metadata: { name, labels: { [text]: text } },
        spec: { source: { image: { ref: 'registry.example/catalog:1' } } },
      }),
      status: {
        digest: message || 'd',
        conditions: [
          { type: 'Ready', status: 'False', reason: 'X', message, lastTransitionTime: '2026-05-01T11:00:00Z' },
        ],
      },
    })),
  { maxLength: 2 },
);

const own = subscription();
const works = revision({ ready: true });

function observe(
  neighbours: readonly (readonly [Subscription, Revision])[],
  others: readonly Catalog[] = [],
): NonNullable<ReturnType<typeof observeSubscription>> {
  const revisions = [works, ...neighbours.map(([, one]) => one)];
  const main = parseObject(CATALOG, {
    apiVersion: API_VERSION,
    kind: 'Catalog',
    metadata: { name: 'main' },
    spec: { source: { image: { ref: 'registry.example/catalog:1' } } },
  });
  const caches: SubscriptionCaches = {
    subscriptions: { get: () => own, list: () => [own, ...neighbours.map(([one]) => one)] },
    revisions: {
      get: (key) => revisions.find((one) => keyOfObject(one) === key),
      byIndex: (index, key) =>
        index === BY_SUBSCRIPTION ? revisions.filter((one) => subscriptionKey(one) === key) : [],
    },
    catalogs: { list: () => [main, ...others] as readonly Catalog[] },
    content: { get: () => undefined } satisfies Pick<CatalogContent, 'get'>,
    namespaces: { get: () => undefined },
  };
  const facts = observeSubscription(
    caches,
    { namespace: 'ops', name: 'gadget' },
    { server: { providedKinds: [] }, now: NOW },
  );
  if (facts === undefined) throw new Error('the Subscription is gone');
  const served = catalog({ versions: ['1.0.0', '1.5.0', '2.0.0'] });
  return { ...facts, catalogs: facts.catalogs.map((one) => (one.name === 'main' ? served : one)) };
}

describe('beside a healthy Subscription', () => {
  const alone = decideSubscription(observe([]));

  test('the content of a Subscription that may not hold it back changes no decision', () => {
    const tenants = fc.array(neighbour(fc.constant('tenant')), { maxLength: 3 });
    fc.assert(
      fc.property(tenants, (neighbours) => {
        expect(decideSubscription(observe(neighbours))).toEqual(alone);
      }),
      { numRuns: runsOf(300) },
    );
  });

  test('no content of a Subscription, a Revision or a Catalog causes an exception', () => {
    const all = fc.array(neighbour(fc.constantFrom('tenant', undefined)), { maxLength: 3 });
    fc.assert(
      fc.property(all, strangers, (neighbours, catalogs) => {
        const facts = observe(neighbours, catalogs);
        expect(decideSubscription(facts).kind).toBe('resolved');
        dependentsToGoFirst(facts);
        dependenciesToDelete(facts);
      }),
      { numRuns: runsOf(300) },
    );
  });

  test('the API server accepts the contents of the tables above', () => {
    fc.assert(
      fc.property(neighbour(fc.constant('tenant')), ([one, made]) => {
        expect(SUBSCRIPTION.schema.safeParse(one).error?.issues ?? []).toEqual([]);
        expect(Revision.safeParse(made).error?.issues ?? []).toEqual([]);
      }),
    );
  });
});

describe('the properties of a Revision', () => {
  test.each([
    { because: 'there are none', properties: undefined, count: 0, wrong: false },
    { because: 'all can be read', properties: [{ type: 'olm.gvk', value: '{}' }], count: 1, wrong: false },
    {
      because: 'one is no JSON (s11)',
      properties: [
        { type: 'olm.gvk', value: '{}' },
        { type: 'x', value: 'not json' },
      ],
      count: 0,
      wrong: true,
    },
    { because: 'one is nested too deep', properties: [{ type: 'x', value: nested(5000) }], count: 0, wrong: true },
  ])('the properties of a Revision: $count are read, since $because', ({ properties, count, wrong }) => {
    const one = revision(properties === undefined ? {} : { properties });
    expect(propertiesOf(one)).toHaveLength(count);
    expect(propertyProblem(one) !== undefined).toBe(wrong);
  });
});
