/** Upgrades of a package that other packages need on their way: which versions leave every way open. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import type { Property } from '../../catalog/model.ts';
import type { Decision } from '../decision.ts';
import type { ClusterFacts, InstalledPackage, UpgradeWay, Wanted } from '../input.ts';
import { describeCause } from '../sentences.ts';
import { ask, chainOf, packageOf, serving, type Ask, type Extras } from '../testing/ask.ts';
import type { SmallPackage } from '../testing/small-catalogs.ts';

const needs = (versionRange: string, packageName = 'op'): Property => ({
  type: 'olm.package.required',
  value: { packageName, versionRange },
});

const kind = (name: string): { readonly group: string; readonly version: string; readonly kind: string } => ({
  group: 'g',
  version: 'v1',
  kind: name,
});
const provides = (name: string): Property => ({ type: 'olm.gvk', value: kind(name) });
const needsKind = (name: string): Property => ({ type: 'olm.gvk.required', value: kind(name) });

/** The way of a dependent: what each of its steps needs. */
function way(...steps: readonly (readonly Property[])[]): UpgradeWay {
  return {
    subscription: 'market/shop',
    steps: steps.map((properties, at) => ({ bundle: `shop.v${at + 2}.0.0`, properties })),
  };
}

interface Given extends Pick<Ask, 'installed'> {
  readonly content?: SmallPackage;
  readonly extras?: Extras;
  readonly ways: readonly UpgradeWay[];
  readonly wanted?: Partial<Wanted>;
  readonly cluster?: Partial<ClusterFacts>;
}

const CHAIN = chainOf('1.0.0', '1.1.0', '1.2.0', '1.3.0');

function decide({ installed, content = CHAIN, extras = {}, ways, wanted = {}, cluster = {} }: Given): Decision {
  return ask({
    ...(installed !== undefined && { installed }),
    wanted,
    catalogs: [serving('a', packageOf('op', content, extras))],
    cluster: { providedKinds: [], ...cluster, ways: () => ways },
  });
}

const versionOf = (decision: Decision): string | undefined =>
  decision.kind === 'none' ? undefined : decision.bundle.version;

/** Every version can be reached from every lower one in one hop. */
const LEAPS: SmallPackage = {
  bundles: ['1.0.0', '1.1.0', '1.2.0', '1.3.0'],
  channels: {
    stable: ['1.0.0', '1.1.0', '1.2.0', '1.3.0'].map((version) => ({ version, skipRange: `<${version}` })),
  },
};

const other: InstalledPackage = {
  package: 'other',
  bundle: 'other.v1.0.0',
  version: '1.0.0',
  catalog: 'a',
  image: 'x',
  properties: [provides('Old')],
  dependency: false,
};

describe('an upgrade of a package that another one needs on its way', () => {
  test.each<Given & { readonly chosen: string | undefined; readonly because: string }>([
    { because: 'no package needs it', installed: '1.0.0', ways: [], chosen: '1.3.0' },
    {
      because: 'the next step needs a version that is passed by then',
      installed: '1.1.0',
      ways: [way([needs('1.2.0')])],
      chosen: '1.2.0',
    },
    {
      because: 'the next step needs a version that one leap would pass',
      installed: '1.0.0',
      content: LEAPS,
      ways: [way([needs('1.2.0')])],
      chosen: '1.2.0',
    },
    {
      because: 'the next step is content with any version, and the one after it is not',
      installed: '1.0.0',
      ways: [way([needs('>=1.0.0')], [needs('1.1.0')])],
      chosen: '1.1.0',
    },
    {
      because: 'the step between needs nothing of it',
      installed: '1.0.0',
      ways: [way([], [], [needs('<=1.1.0')])],
      chosen: '1.1.0',
    },
    {
      because: 'it moves on between the steps',
      installed: '1.0.0',
      ways: [way([needs('1.1.0')], [needs('1.3.0')])],
      chosen: '1.1.0',
    },
    {
      because: 'the first step alone is possible, and needs the move',
      installed: '1.0.0',
      ways: [way([needs('1.2.0')], [needs('1.1.0')])],
      chosen: '1.2.0',
    },
    {
      because: 'the way is closed in any case: a wait would have no end',
      installed: '1.2.0',
      ways: [way([needs('1.1.0')])],
      chosen: '1.3.0',
    },
    {
      because: 'the version that is needed does not exist',
      installed: '1.0.0',
      ways: [way([needs('9.0.0')])],
      chosen: '1.3.0',
    },
    {
      because: 'two packages need it, and the stricter one counts',
      installed: '1.0.0',
      ways: [way([needs('<1.3.0')]), way([needs('<1.2.0')])],
      chosen: '1.1.0',
    },
    {
      because: 'a range of the spec excludes the version that is needed',
      installed: '1.0.0',
      wanted: { version: '>=1.3.0' },
      ways: [way([needs('1.2.0')])],
      chosen: '1.3.0',
    },
    {
      because: 'the spec names a version that would close the way',
      installed: '1.0.0',
      wanted: { version: '1.3.0' },
      ways: [way([needs('>=1.3.0')], [needs('<=1.3.0')])],
      chosen: '1.3.0',
    },
    {
      because: 'dependencies are ignored',
      installed: '1.0.0',
      wanted: { dependencies: 'Ignore' },
      ways: [way([needs('1.1.0')])],
      chosen: '1.3.0',
    },
    {
      because: 'without edges any higher version can follow, and none lower',
      installed: '1.0.0',
      wanted: { edges: 'Ignore' },
      ways: [way([needs('1.1.0')])],
      chosen: '1.1.0',
    },
    {
      because: 'it is installed for the first time, for a step of an upgrade',
      ways: [way([needs('1.1.0')])],
      chosen: '1.1.0',
    },
    {
      because: 'it is installed for the first time, and a later step needs a lower version',
      ways: [way([needs('>=1.0.0')], [needs('<1.3.0')])],
      chosen: '1.2.0',
    },
    {
      because: 'the step needs a kind that later versions lack',
      installed: '1.0.0',
      extras: { properties: { '1.0.0': [provides('Old')], '1.1.0': [provides('Old')] } },
      ways: [way([needsKind('Old')])],
      chosen: '1.1.0',
    },
    {
      because: 'another package provides the kind too',
      installed: '1.0.0',
      extras: { properties: { '1.0.0': [provides('Old')], '1.1.0': [provides('Old')] } },
      cluster: { packages: [other, { ...other, package: 'op', bundle: 'op.v1.0.0' }] },
      ways: [way([needsKind('Old')])],
      chosen: '1.3.0',
    },
    {
      because: 'the kind is there without it',
      installed: '1.0.0',
      extras: { properties: { '1.1.0': [provides('Old')] } },
      cluster: { providedKinds: [kind('Old')] },
      ways: [way([needsKind('Old')])],
      chosen: '1.3.0',
    },
    {
      because: 'every part of a constraint counts',
      installed: '1.0.0',
      ways: [
        way([
          {
            type: 'olm.constraint',
            value: { all: { constraints: [{ package: { packageName: 'op', versionRange: '<1.2.0' } }] } },
          },
        ]),
      ],
      chosen: '1.1.0',
    },
    {
      because: 'a requirement that cannot be parsed holds no other package',
      installed: '1.0.0',
      ways: [way([{ type: 'olm.package.required', value: 7 }])],
      chosen: '1.3.0',
    },
    {
      because: 'the version that is needed is deprecated, so that no upgrade ends there',
      installed: '1.0.0',
      extras: { deprecations: [{ schema: 'olm.bundle', name: 'op.v1.1.0', message: 'a fault' }] },
      ways: [way([needs('1.1.0')])],
      chosen: '1.3.0',
    },
    {
      because: 'the version that is needed is deprecated, and installed',
      installed: '1.1.0',
      extras: { deprecations: [{ schema: 'olm.bundle', name: 'op.v1.1.0', message: 'a fault' }] },
      ways: [way([needs('1.1.0')])],
      chosen: '1.1.0',
    },
    {
      because: 'the catalog no longer has the installed version',
      installed: '1.0.5',
      content: LEAPS,
      ways: [way([needs('1.1.0')])],
      chosen: '1.1.0',
    },
  ])('a package is upgraded to $chosen, since $because', ({ chosen, ...given }) => {
    expect(versionOf(decide(given))).toBe(chosen);
  });

  test('the version that waits is reported with the Subscription and the step that it waits for', () => {
    const { refused } = decide({ installed: '1.1.0', ways: [way([needs('1.2.0')], [needs('1.3.0')])] });
    const waiting = refused.find(({ bundle }) => bundle === 'op.v1.3.0');
    expect(waiting?.cause).toMatchObject({
      kind: 'dependency',
      because: [{ kind: 'way', subscription: 'market/shop', step: 'shop.v2.0.0', to: 'shop.v3.0.0' }],
    });
    const sentence = waiting === undefined ? '' : describeCause(waiting.cause);
    for (const part of ['market/shop', 'shop.v2.0.0', 'shop.v3.0.0', 'op in "1.2.0"', 'spec.version'])
      expect(sentence).toContain(part);
  });

  test.each([
    { because: 'a step is closed', hidden: { ...way([needs('1.2.0')]), hidden: true as const } },
    {
      because: 'its Catalog is not read',
      hidden: { ...way(), unread: 'private', hidden: true as const },
    },
  ])('a reader who may not know the steps reads only the name of their Subscription: $because', ({ hidden }) => {
    const { refused } = decide({ installed: '1.1.0', ways: [hidden] });
    const waiting = refused.find(({ bundle }) => bundle === 'op.v1.3.0');
    expect(waiting?.cause).toEqual({
      kind: 'dependency',
      because: [{ kind: 'hiddenWay', subscription: 'market/shop' }],
    });
    const sentence = waiting === undefined ? '' : describeCause(waiting.cause);
    expect(sentence).toContain('market/shop');
    for (const part of ['shop.v', 'op in', 'private']) expect(sentence).not.toContain(part);
  });

  test('if the time is up, no version is chosen that could close a way', () => {
    const decision = ask({
      installed: '1.1.0',
      catalogs: [serving('a', CHAIN)],
      cluster: { providedKinds: [], ways: () => [way([needs('1.2.0')])] },
      expired: () => true,
    });
    expect(versionOf(decision)).toBe('1.1.0');
  });

  test('ways are planned only if another version could be chosen', () => {
    const planned: string[] = [];
    const ways = (): readonly UpgradeWay[] => {
      planned.push('ways');
      return [];
    };
    const asked = { catalogs: [serving('a', CHAIN)], cluster: { providedKinds: [], ways } };
    ask({ ...asked, installed: '1.3.0' });
    expect(planned).toEqual([]);
    ask({ ...asked, installed: '1.0.0' });
    expect(planned).toEqual(['ways']);
  });
});

describe('any graph and any way', () => {
  const COUNT = 7;
  const versions = Array.from({ length: COUNT }, (_, at) => `1.${at}.0`);
  const anyRange = fc.oneof(
    fc.constantFrom(...versions),
    fc.constantFrom(...versions).map((version) => `>=${version}`),
    fc.constantFrom(...versions).map((version) => `<=${version}`),
  );
  const anyWay = fc
    .array(fc.option(anyRange), { minLength: 1, maxLength: 4 })
    .map((ranges) => way(...ranges.map((range) => (range === null ? [] : [needs(range)]))));
  /** By version, the lower versions that it may follow. */
  const anyEdges = fc.tuple(
    ...versions.map((_, at) => fc.subarray(versions.slice(0, at), { minLength: Math.min(1, at) })),
  );

  const contentOf = (edges: readonly (readonly string[])[]): SmallPackage => ({
    bundles: versions,
    channels: { stable: versions.map((version, at) => ({ version, skips: edges[at] ?? [] })) },
  });

  /** By trying: how many steps of a way can be made from a version. */
  function stepsFrom(version: string, { steps }: UpgradeWay, edges: readonly (readonly string[])[]): number {
    const onwards = versions.filter((_, at) => edges[at]?.includes(version));
    const moves = onwards.map((next) => stepsFrom(next, { subscription: '', steps }, edges));
    const [step, ...later] = steps;
    if (step === undefined) return 0;
    const isMet = step.properties.every(({ value }) =>
      meets(version, (value as { versionRange: string }).versionRange),
    );
    const here = isMet ? 1 + stepsFrom(version, { subscription: '', steps: later }, edges) : 0;
    return Math.max(here, ...moves);
  }

  function meets(version: string, range: string): boolean {
    const [place, bound] = [version, range.replace(/^[<>=]+/, '')].map((one) => versions.indexOf(one)) as [
      number,
      number,
    ];
    if (range.startsWith('>=')) return place >= bound;
    return range.startsWith('<=') ? place <= bound : place === bound;
  }

  test('no upgrade leaves fewer steps of a way than there were, and the next step is met in the end', () => {
    const seen = { held: 0, moved: 0 };
    fc.assert(
      fc.property(anyEdges, fc.array(anyWay, { minLength: 1, maxLength: 2 }), (edges, ways) => {
        const content = contentOf(edges);
        let installed = versions[0] ?? '';
        for (let decision = decide({ installed, content, ways }); decision.kind === 'upgrade';) {
          const next = decision.next.version;
          for (const one of ways)
            expect(stepsFrom(next, one, edges)).toBeGreaterThanOrEqual(stepsFrom(installed, one, edges));
          installed = next;
          seen.moved++;
          decision = decide({ installed, content, ways });
        }
        const [only, second] = ways;
        const first = only?.steps[0];
        if (installed !== versions.at(-1)) seen.held++;
        if (only === undefined || first === undefined || second !== undefined) return;
        if (stepsFrom(installed, only, edges) > 0)
          expect(stepsFrom(installed, { ...only, steps: [first] }, [])).toBe(1);
      }),
      { numRuns: runsOf(600) },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(50);
  });
});
