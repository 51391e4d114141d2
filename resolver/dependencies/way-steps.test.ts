/** The counts of steps beside a plain search: all edges one by one, and as many rounds as there are bundles. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import type { CatalogPackage } from '../../catalog/model.ts';
import { edgeInto, upgradeGraph } from '../graph.ts';
import type { ResolveInput, UpgradeWay } from '../input.ts';
import { resolve } from '../resolve.ts';
import { catalogOf } from '../testing/random-catalogs.ts';
import { compareBundleVersions } from '../version.ts';
import { directRequirements } from './coming.ts';
import { meets } from './options.ts';
import { VersionMap } from './version-map.ts';
import { WayEffort } from './way-effort.ts';
import { WaySteps } from './way-steps.ts';

/** Few versions for many bundles; two of them differ in the release only. */
const VERSIONS = ['1.0.0', '1.1.0-rc.1', '1.1.0', '2.0.0', '2.0.0+1', '2.0.0+2', '3.0.0'];
const RANGES = ['<2.0.0', '<9.0.0', '>=1.1.0 <=2.0.0', '<1.1.0 || >1.1.0', '!=2.0.0', '>=1.0.0 !=1.1.0 !=2.0.0', 'x'];
const NEEDS = ['>=1.0.0', '2.0.0', '<=1.1.0', '>=2.0.0', '3.0.0', '<2.0.0', '7.0.0'];
const NAMES = Array.from({ length: 8 }, (_, at) => `op.b${at}`);

const anyName = fc.constantFrom(...NAMES);
const anyEntry = fc.record(
  {
    name: anyName,
    skips: fc.array(anyName, { maxLength: 2 }),
    replaces: anyName,
    skipRange: fc.constantFrom(...RANGES),
  },
  { requiredKeys: ['name', 'skips'] },
);
const anyContent = fc
  .record({
    versions: fc.array(fc.constantFrom(...VERSIONS), { minLength: NAMES.length, maxLength: NAMES.length }),
    channels: fc.array(fc.array(anyEntry, { maxLength: 12 }), { minLength: 1, maxLength: 2 }),
    deprecated: fc.subarray(NAMES, { maxLength: 2 }),
  })
  .map(({ versions, channels, deprecated }): CatalogPackage => ({
    name: 'op',
    defaultChannel: 'c0',
    channels: channels.map((entries, at) => ({ name: `c${at}`, entries })),
    bundles: NAMES.map((name, at) => ({
      name,
      package: 'op',
      version: versions[at] ?? '',
      image: `registry.example/${name}`,
      properties: [],
      relatedImages: [],
    })),
    deprecations: deprecated.map((name) => ({ schema: 'olm.bundle', name, message: 'a fault' })),
  }));
const anyWay = fc
  .array(fc.option(fc.constantFrom(...NEEDS)), { minLength: 1, maxLength: 4 })
  .map((ranges) => wayOf(...ranges));
const anyInput = fc
  .record({
    edges: fc.constantFrom('Follow' as const, 'Ignore' as const),
    version: fc.option(fc.constantFrom('>=1.1.0', '<3.0.0')),
    channel: fc.constantFrom('c0', '*'),
    installed: fc.option(fc.record({ bundle: fc.constantFrom(...NAMES, 'op.old'), version: anyVersion() })),
    quarantined: fc.subarray(NAMES, { maxLength: 1 }),
  })
  .map(({ edges, version, channel, installed, quarantined }): ResolveInput => ({
    wanted: { package: 'op', edges, channel, dependencies: 'Install', ...(version !== null && { version }) },
    catalogs: [],
    quarantined,
    ...(installed !== null && { installed: { ...installed, catalog: 'a', image: 'x' } }),
  }));

function anyVersion(): fc.Arbitrary<string> {
  return fc.constantFrom(...VERSIONS, 'unknown');
}

function wayOf(...ranges: readonly (string | null)[]): UpgradeWay {
  const steps = ranges.map((range, at) => ({
    bundle: `shop.v${at + 2}`,
    properties:
      range === null ? [] : [{ type: 'olm.package.required', value: { packageName: 'op', versionRange: range } }],
  }));
  return { subscription: 'market/shop', steps };
}

/** By place, those to which one upgrade leads: all edges are tried. */
function onwardsOf(content: CatalogPackage, input: ResolveInput, { places, start }: VersionMap): readonly number[][] {
  const channels = input.wanted.channel === '*' ? undefined : new Set([input.wanted.channel]);
  const entries = [...upgradeGraph(content).channels.values()]
    .filter(({ name }) => channels?.has(name) ?? true)
    .flatMap((channel) => channel.entries);
  return places.map((from, at) =>
    [...places.keys()].filter((to) => {
      const target = places[to];
      if (target?.version === undefined || to === at || to === start) return false;
      if (from.version !== undefined && compareBundleVersions(target.version, from.version) < 0) return false;
      if (input.wanted.edges === 'Ignore') return true;
      return entries.some((entry) => entry.bundle.name === target.name && edgeInto(entry, from) !== undefined);
    }),
  );
}

/** Rounds over all places for each step, until no count could change any more. */
function countInRounds({ steps }: UpgradeWay, { places }: VersionMap, onwards: readonly number[][]): readonly number[] {
  let later = places.map(() => 0);
  for (const step of steps.toReversed()) {
    const requirements = directRequirements(step);
    const counts = places.map(() => 0);
    const isMet = places.map(
      ({ isTarget, offered }) =>
        requirements.length === 0 || (isTarget && requirements.every((one) => meets(offered, one))),
    );
    for (let round = 0; round <= places.length; round++)
      for (const at of places.keys())
        counts[at] = isMet[at] === true ? 1 + later[at]! : Math.max(0, ...onwards[at]!.map((next) => counts[next]!));
    later = counts;
  }
  return later;
}

describe('the steps that can be made from each version', () => {
  test('are those that a plain search finds, on any graph, also among equal versions', () => {
    const seen = { first: 0, ignored: 0, equal: 0, carried: 0 };
    fc.assert(
      fc.property(anyContent, anyInput, anyWay, (content, input, way) => {
        const map = new VersionMap(content, input);
        const effort = new WayEffort(undefined);
        const { byPlace, now } = new WaySteps({ map, concerns: () => true, effort }).of(way);
        const onwards = onwardsOf(content, input, map);
        const expected = countInRounds(way, map, onwards);
        expect([...byPlace]).toEqual(expected);
        expect(now).toBe(map.start === undefined ? Math.max(0, ...expected) : expected[map.start]);
        seen.first += Number(map.start === undefined);
        seen.ignored += Number(input.wanted.edges === 'Ignore');
        seen.equal += Number(onwards.some((next, at) => next.some((to) => onwards[to]?.includes(at))));
        const alone = countInRounds(
          way,
          map,
          onwards.map(() => []),
        );
        seen.carried += Number(alone.join() !== expected.join());
      }),
      { numRuns: runsOf(2000) },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(runsOf(100));
  });
});

interface Hostile {
  readonly because: string;
  readonly edges?: 'Follow' | 'Ignore';
  readonly bundles: number;
  readonly ways: readonly UpgradeWay[];
  readonly first?: boolean;
}

const IMPOSSIBLE = '=7.0.0';
const repeat = (times: number): readonly string[] => Array.from({ length: times }, () => IMPOSSIBLE);

describe('a catalog of which few words describe many edges', () => {
  const ask = ({ edges = 'Follow', bundles, ways, first = false }: Hostile, expired?: () => boolean): ResolveInput => {
    const names = Array.from({ length: bundles }, (_, at) => `op.b${at}`);
    const content: CatalogPackage = {
      name: 'op',
      defaultChannel: 'c0',
      channels: [{ name: 'c0', entries: names.map((name) => ({ name, skips: [], skipRange: '<9.0.0' })) }],
      bundles: names.map((name) => ({
        name,
        package: 'op',
        version: '2.0.0',
        image: `registry.example/${name}`,
        properties: [],
        relatedImages: [],
      })),
      deprecations: [],
    };
    return {
      wanted: { package: 'op', edges, dependencies: 'Install' },
      catalogs: [catalogOf('a', [content])],
      quarantined: [],
      cluster: { providedKinds: [], ways: () => ways },
      ...(!first && { installed: { bundle: 'op.old', version: '1.0.0', catalog: 'a', image: 'x' } }),
      ...(expired !== undefined && { expired }),
    };
  };

  test.each<Hostile>([
    { because: 'each of the bundles may follow every other', bundles: 300, ways: [wayOf(...repeat(3))] },
    { because: 'edges are ignored', edges: 'Ignore', bundles: 300, ways: [wayOf(...repeat(3))] },
    { because: 'it is installed for the first time', first: true, bundles: 300, ways: [wayOf(...repeat(3))] },
  ])('costs units in proportion to its bundles and the steps, if $because', (given) => {
    const input = ask(given);
    const map = new VersionMap(input.catalogs[0]!.content('op')!, input);
    // Per step and place at most one comparison of each kind and one move.
    const effort = new WayEffort(undefined, 3 * 4 * map.places.length);
    new WaySteps({ map, concerns: () => true, effort }).of(given.ways[0]!);
    expect(effort.isOver()).toBe(false);
  });

  test.each<Hostile>([
    { because: 'many steps', bundles: 200, ways: [wayOf(...repeat(2000))] },
    { because: 'many ways', bundles: 200, ways: Array.from({ length: 2000 }, () => wayOf(IMPOSSIBLE)) },
    { because: 'edges are ignored', edges: 'Ignore', bundles: 200, ways: [wayOf(...repeat(2000))] },
    { because: 'it is installed for the first time', first: true, bundles: 200, ways: [wayOf(...repeat(2000))] },
  ])('is decided soon after the time is up, and nothing is chosen or upgraded, with $because', (given) => {
    let asked = 0;
    const decision = resolve(ask(given, () => ++asked > 20));
    expect(['none', 'upToDate']).toContain(decision.kind);
    expect(asked).toBeGreaterThan(20);
    const causes = decision.refused.map(({ cause }) => cause);
    expect(causes).toContainEqual({ kind: 'dependency', because: [{ kind: 'effort', why: 'tooLong' }] });
  });
});

describe('the effort for ways', () => {
  test.each([
    { because: 'the units are spent', expired: () => false, most: 5, units: 6, over: true },
    { because: 'units are left', expired: () => false, most: 5, units: 5, over: false },
    { because: 'the time is up', expired: () => true, most: 5000, units: 1000, over: true },
  ])('is over or not when $because', ({ expired, most, units, over }) => {
    const effort = new WayEffort(expired, most);
    expect(effort.spend(units)).toBe(!over);
  });

  test('once over, it stays over', () => {
    let isUp = true;
    const effort = new WayEffort(() => isUp);
    expect(effort.isOver()).toBe(true);
    isUp = false;
    expect([effort.isOver(), effort.spend()]).toEqual([true, false]);
  });
});
