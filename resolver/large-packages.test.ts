/** Packages with more bundles and channels than any that is published: an author decides how many there are. */
import { describe, expect, test } from 'vitest';
import type { CatalogBundle, CatalogPackage, ChannelEntry, Property } from '../catalog/model.ts';
import type { Decision } from './decision.ts';
import { ask, serving, type Ask } from './testing/ask.ts';

const UNMET: Property = {
  type: 'olm.package.required',
  value: { packageName: 'missing', versionRange: '>=1.0.0' },
};
const UNFIT: Property = { type: 'slipway.minKubeVersion', value: '9.9.0' };

function bundleOf(name: string, version: string, properties: readonly Property[]): CatalogBundle {
  return { name, package: 'op', version, image: `registry.example/op:${name}`, relatedImages: [], properties };
}

interface Shape {
  readonly count: number;
  readonly properties?: (at: number) => readonly Property[];
  readonly entry?: (at: number) => Omit<ChannelEntry, 'name' | 'skips'>;
}

/** Versions 1.0.0 and up; by default each may follow every lower one. */
function packageOf({ count, properties = () => [UNMET], entry = follows }: Shape): CatalogPackage {
  const bundles = Array.from({ length: count }, (_, at) =>
    bundleOf(`op.v1.0.${at}`, `1.0.${at}`, at === 0 ? [] : properties(at)),
  );
  const entries = bundles.map(({ name }, at) => ({ name, skips: [], ...(at > 0 && entry(at)) }));
  return {
    name: 'op',
    defaultChannel: 'stable',
    channels: [{ name: 'stable', entries }],
    bundles,
    deprecations: [],
  };
}

function follows(at: number): Omit<ChannelEntry, 'name' | 'skips'> {
  return { replaces: `op.v1.0.${at - 1}`, skipRange: `<1.0.${at}` };
}

const replacesOnly = (at: number): Omit<ChannelEntry, 'name' | 'skips'> => ({ replaces: `op.v1.0.${at - 1}` });

/** The installed version is gone, and of many channels only two together have a way. */
function manyChannels(count: number): CatalogPackage {
  const others = Array.from({ length: count }, (_, at) => bundleOf(`op.v0.0.${at}`, `0.0.${at}`, []));
  return {
    name: 'op',
    defaultChannel: 'dead',
    channels: [
      { name: 'dead', entries: [] },
      { name: 'a', entries: [{ name: 'op.v2.0.0', replaces: 'op.v1.0.0', skips: [] }] },
      { name: 'b', entries: [{ name: 'op.v3.0.0', replaces: 'op.v2.0.0', skips: [] }] },
      ...others.map(({ name }) => ({ name: `only-${name}`, entries: [{ name, skips: [] }] })),
    ],
    bundles: [bundleOf('op.v2.0.0', '2.0.0', []), bundleOf('op.v3.0.0', '3.0.0', []), ...others],
    deprecations: [],
  };
}

/** Releases of one version: half of them lead from the installed one to all of the others. */
function manyReleases(count: number): CatalogPackage {
  const bundles = Array.from({ length: count }, (_, at) => bundleOf(`op.r${at}`, `2.0.0+${at}`, [UNMET]));
  const entries = bundles.map(({ name }, at) => ({
    name,
    skips: at > count / 2 ? ['op.v1.0.0'] : [],
    skipRange: '2.0.0',
  }));
  return {
    name: 'op',
    defaultChannel: 'stable',
    channels: [{ name: 'stable', entries }],
    bundles,
    deprecations: [],
  };
}

interface Large extends Omit<Ask, 'catalogs'> {
  readonly because: string;
  readonly content: (count: number) => CatalogPackage;
}

const LARGE: readonly Large[] = [
  { because: 'no version has its dependency', installed: '1.0.0', content: (count) => packageOf({ count }) },
  {
    because: 'no version has its dependency, and edges are ignored',
    installed: '1.0.0',
    wanted: { edges: 'Ignore' },
    content: (count) => packageOf({ count }),
  },
  { because: 'no version has its dependency, and none is installed', content: (count) => packageOf({ count }) },
  {
    because: 'no version has its dependency, and all are on one way',
    installed: '1.0.0',
    content: (count) => packageOf({ count, entry: replacesOnly }),
  },
  {
    because: 'all versions are on one way, and the first one has no dependency',
    installed: '1.0.0',
    content: (count) => packageOf({ count, entry: replacesOnly, properties: (at) => (at === 1 ? [UNMET] : []) }),
  },
  {
    because: 'all versions follow one that does not fit the cluster',
    installed: '1.0.0',
    cluster: { providedKinds: [], kubernetesVersion: '1.30.0' },
    content: (count) => packageOf({ count, entry: replacesOnly, properties: (at) => (at === 1 ? [UNFIT] : []) }),
  },
  {
    because: 'each version is in a channel of its own',
    installed: '1.0.0',
    wanted: { version: '3.0.0' },
    content: manyChannels,
  },
  {
    because: 'each version is in a channel of its own, and all channels count',
    installed: '1.0.0',
    wanted: { version: '9.0.0', channel: '*' },
    content: manyChannels,
  },
  { because: 'all bundles are releases of one version', installed: '1.0.0', content: manyReleases },
];

describe('a package of many bundles or channels', () => {
  test.each(LARGE)('is decided with the clock in view: $because', ({ content, ...given }) => {
    const most = 30;
    let asked = 0;
    const decision = ask({ ...given, catalogs: [serving('a', content(400))], expired: () => ++asked > most });
    expect(asked).toBeLessThan(most + 20);
    expect(decision.kind === 'none' || decision.kind === 'upToDate').toBe(true);
  });

  test.each(LARGE)('costs in proportion to its size: $because', ({ content, ...given }) => {
    const costOf = (count: number): number => {
      let asked = 0;
      const catalogs = [serving('a', content(count))];
      ask({ ...given, catalogs, expired: () => ++asked < 0 });
      return asked;
    };
    // Each time the clock is asked stands for a bundle that is judged, a step of a search, or a channel that is tried.
    expect(costOf(800)).toBeLessThan(3 * costOf(400));
  });

  test('a version that is chosen after many that lack a dependency is the highest that has none', () => {
    for (const good of [1, 5, 150, 290, 299]) {
      const content = packageOf({ count: 300, properties: (at) => (at <= good ? [] : [UNMET]) });
      for (const edges of ['Follow', 'Ignore'] as const) {
        const decision = ask({ installed: '1.0.0', wanted: { edges }, catalogs: [serving('a', content)] });
        expect({ edges, good, next: decision.kind === 'upgrade' && decision.next.version }).toEqual({
          edges,
          good,
          next: `1.0.${good}`,
        });
      }
    }
  });

  test('if the time is up, the refusal says so, and names no change that was not tried', () => {
    const decision = ask({ catalogs: [serving('a', packageOf({ count: 50 }))], expired: () => true });
    expect(decision).toMatchObject({
      kind: 'none',
      reason: 'ResolutionFailed',
      because: [{ kind: 'effort', why: 'tooLong' }],
      suggestions: [{ change: 'narrow' }],
    });
  });

  test('if the time is up before all catalogs are judged, none of them is chosen from, at whatever moment that is', () => {
    const other = packageOf({ count: 2, properties: () => [] });
    const catalogs = [serving('a', packageOf({ count: 1 })), serving('b', other)];
    const decideWithin = (most: number): Decision => {
      let asked = 0;
      return ask({ catalogs, expired: () => ++asked > most });
    };
    expect(decideWithin(100)).toMatchObject({ kind: 'none', reason: 'AmbiguousCatalogs' });
    for (let most = 0; most < 20; most++) {
      const decision = decideWithin(most);
      expect({ most, kind: decision.kind }).toEqual({ most, kind: 'none' });
    }
  });

  test('a way that many bundles bar is reported with some of them', () => {
    const count = 300;
    const isLate = (at: number): boolean => at > count / 2;
    const content = packageOf({
      count,
      entry: replacesOnly,
      properties: (at) => (isLate(at) ? [] : [UNFIT]),
    });
    const decision = ask({
      installed: '1.0.0',
      catalogs: [serving('a', content)],
      cluster: { providedKinds: [], kubernetesVersion: '1.30.0' },
    });
    const named = decision.refused.flatMap(({ cause }) => (cause.kind === 'wayBarred' ? [cause.over.length] : []));
    expect(named.length).toBeGreaterThan(100);
    expect(Math.max(...named)).toBeLessThanOrEqual(50);
  });
});
