import { describe, expect, test } from 'vitest';
import type { Property } from '../catalog/model.ts';
import type { Choice, Suggestion } from './decision.ts';
import { describeCatalogChange, describeDowngrade, explainWhyNot } from './explain.ts';
import type { CatalogSource, InstalledPackage } from './input.ts';
import { ask, chainOf, packageOf, serving, reported, type Ask } from './testing/ask.ts';
import type { SmallPackage } from './testing/small-catalogs.ts';

const chain = chainOf('1.0.0', '1.1.0', '2.0.0');
const one = chainOf('1.0.0');
const loose: SmallPackage = {
  bundles: ['1.0.0', '2.0.0'],
  channels: { stable: [{ version: '1.0.0' }, { version: '2.0.0' }] },
};

const needs = (packageName: string, versionRange: string): Property => ({
  type: 'olm.package.required',
  value: { packageName, versionRange },
});
const needsKubernetes = (value: string): Property => ({ type: 'slipway.minKubeVersion', value });
const provides = (kind: string): Property => ({ type: 'olm.gvk', value: { group: 'x.io', version: 'v1', kind } });
const old = { kubernetesVersion: '1.30.0', providedKinds: [] };

/** Another package that is installed by a person. */
function installed(name: string, version: string, properties: readonly Property[] = []): InstalledPackage {
  const bundle = `${name}.v${version}`;
  return { package: name, bundle, version, catalog: 'a', image: 'x', properties, dependency: false, subscription: `ns/${name}` }; // prettier-ignore
}

interface Case {
  readonly because: string;
  readonly given: Ask;
  readonly says: readonly string[];
}

const pinned = { installed: '1.0.0', wanted: { version: '2.0.0' } } as const;
const WITHOUT_EDGE = 'set edges to Ignore to install 2.0.0 without following the graph';
const NEW_EDGE = 'let op.v2.0.0 in channel "stable" of the catalog accept op.v1.0.0 by replaces, skips or skipRange';
const ONLY_OVER =
  'from the installed op.v1.0.0 edges lead to op.v2.0.0 only over op.v1.1.0; the version must be in "2.0.0"';

describe('an explanation names the bundle on the way that is at fault', () => {
  test.each<Case>([
    {
      because: 'it is quarantined',
      given: { ...pinned, quarantined: ['op.v1.1.0'], catalogs: [serving('a', chain)] },
      says: [
        `Package "op": these cannot hold together: op.v1.1.0 failed before and is quarantined; ${ONLY_OVER}`,
        `Release op.v1.1.0 from quarantine by asking for a reconcile; or ${WITHOUT_EDGE}; or ${NEW_EDGE}`,
      ],
    },
    {
      because: 'it needs a newer cluster',
      given: {
        ...pinned,
        cluster: old,
        catalogs: [serving('a', packageOf('op', chain, { properties: { '1.1.0': [needsKubernetes('1.40')] } }))],
      },
      says: [
        `Package "op": these cannot hold together: op.v1.1.0: it needs Kubernetes 1.40 and the cluster has 1.30.0; ${ONLY_OVER}`,
        `Upgrade the cluster to Kubernetes 1.40; or ${WITHOUT_EDGE}; or ${NEW_EDGE}`,
      ],
    },
    {
      because: 'it lacks a dependency',
      given: {
        ...pinned,
        catalogs: [serving('a', packageOf('op', chain, { properties: { '1.1.0': [needs('gone', '>=1.0.0')] } }))],
      },
      says: [
        `Package "op": these cannot hold together: the dependencies of op.v1.1.0 cannot be satisfied: op.v1.1.0 needs gone in ">=1.0.0", which no catalog has; ${ONLY_OVER}`,
        `Add a catalog that has gone in ">=1.0.0"; or ${WITHOUT_EDGE}; or ${NEW_EDGE}`,
      ],
    },
    {
      because: 'its dependencies cannot be parsed',
      given: {
        ...pinned,
        catalogs: [serving('a', packageOf('op', chain, { properties: { '1.1.0': [needs('lib', 'what')] } }))],
      },
      says: [
        `Package "op": these cannot hold together: the dependencies of op.v1.1.0 cannot be parsed: olm.package.required: the range "what" cannot be parsed: "what" has no version; ${ONLY_OVER}`,
        `Set edges to Ignore to install 2.0.0 without following the graph; or ${NEW_EDGE}; or let version include 1.0.0, which is installed`,
      ],
    },
  ])('$because', ({ given, says }) => {
    expect(reported(given)).toEqual(says);
  });

  test('if no bundle has a version that can be read, the first fault is named', () => {
    const whole = packageOf('op', one);
    const broken = { ...whole, bundles: whole.bundles.map((bundle) => ({ ...bundle, version: '' })) };
    const none = 'Package "op": catalog a has no bundle of it that can be installed';
    expect(reported({ catalogs: [serving('a', broken)] })[0]).toBe(
      `${none} (the version of bundle op.v1.0.0 cannot be read: it is not of the form MAJOR.MINOR.PATCH)`,
    );
    const problems = ['channel x: y', 'bundle op.v1.0.0: version of the property olm.package is not a text'];
    expect(reported({ catalogs: [serving('a', { ...broken, problems })] })[0]).toBe(`${none} (${problems[1]})`);
  });

  test('a bundle behind a barred one is reported as barred, not as lacking edges', () => {
    const decision = ask({ ...pinned, quarantined: ['op.v1.1.0'], catalogs: [serving('a', chain)] });
    expect(decision.refused.map(({ bundle, cause }) => [bundle, cause.kind])).toEqual([
      ['op.v2.0.0', 'wayBarred'],
      ['op.v1.1.0', 'quarantined'],
    ]);
    expect(explainWhyNot(decision, '2.0.0')).toEqual([
      'op.v2.0.0 is not chosen: the way to it from op.v1.0.0 is barred: op.v1.1.0: it failed before and is quarantined',
    ]);
  });

  test('a way that leaves the range again is barred by the bundle outside', () => {
    const decision = ask({ installed: '1.0.0', wanted: { version: '!=1.1.0' }, catalogs: [serving('a', chain)] });
    expect(explainWhyNot(decision, '2.0.0')).toEqual([
      'op.v2.0.0 is not chosen: the way to it from op.v1.0.0 is barred: op.v1.1.0: it is not in the range "!=1.1.0"',
    ]);
  });
});

describe('an explanation is about the bundles that the spec asks for, if every bundle is barred for a cause of its own', () => {
  const each = (properties: Readonly<Record<string, readonly Property[]>>): CatalogSource =>
    serving('a', packageOf('op', chain, { properties }));
  const lacking = each({
    '1.0.0': [needs('one', '>=1.0.0')],
    '1.1.0': [needs('two', '>=1.0.0')],
    '2.0.0': [needs('three', '>=1.0.0')],
  });
  const sentence = (version: string, name: string): readonly string[] => [
    `Package "op": the dependencies of op.v${version} cannot be satisfied: op.v${version} needs ${name} in ">=1.0.0", which no catalog has`,
    `Add a catalog that has ${name} in ">=1.0.0"`,
  ];
  test.each<Case>([
    {
      because: 'a pinned version lacks one package, and the head another',
      given: { wanted: { version: '1.0.0' }, catalogs: [lacking] },
      says: sentence('1.0.0', 'one'),
    },
    {
      because: 'of a range the highest version counts',
      given: { wanted: { version: '<2.0.0' }, catalogs: [lacking] },
      says: sentence('1.1.0', 'two'),
    },
    {
      because: 'a spec without a version asks for the head',
      given: { catalogs: [lacking] },
      says: sentence('2.0.0', 'three'),
    },
    {
      because: 'no version is in the range, which is the only cause then',
      given: { wanted: { version: '9.0.0' }, catalogs: [lacking] },
      says: ['Package "op": the version must be in "9.0.0" (there are: 2.0.0, 1.1.0, 1.0.0)'],
    },
    {
      because: 'the channel has only one of the versions',
      given: {
        wanted: { channel: 'old' },
        catalogs: [
          serving(
            'a',
            packageOf(
              'op',
              { ...loose, channels: { ...loose.channels, old: [{ version: '1.0.0' }] } },
              { properties: { '1.0.0': [needs('one', '>=1.0.0')], '2.0.0': [needs('two', '>=1.0.0')] } },
            ),
          ),
        ],
      },
      says: sentence('1.0.0', 'one'),
    },
    {
      because: 'the edges lead only to one of the versions',
      given: {
        installed: '1.0.0',
        wanted: { version: '>1.0.0' },
        catalogs: [
          serving(
            'a',
            packageOf(
              'op',
              {
                bundles: ['1.1.0', '2.0.0'],
                channels: { stable: [{ version: '1.1.0', replaces: '1.0.0' }, { version: '2.0.0' }] },
              },
              { properties: { '1.1.0': [needs('one', '>=1.0.0')], '2.0.0': [needs('two', '>=1.0.0')] } },
            ),
          ),
        ],
      },
      says: sentence('1.1.0', 'one'),
    },
    {
      because: 'a cluster may be too old for each version in its own way, too',
      given: {
        wanted: { version: '1.0.0' },
        cluster: old,
        catalogs: [
          each({
            '1.0.0': [needsKubernetes('1.31')],
            '1.1.0': [needsKubernetes('1.40')],
            '2.0.0': [needsKubernetes('1.50')],
          }),
        ],
      },
      says: [
        'Package "op": op.v1.0.0: it needs Kubernetes 1.31 and the cluster has 1.30.0',
        'Upgrade the cluster to Kubernetes 1.31',
      ],
    },
    {
      because: 'each version may be quarantined',
      given: {
        wanted: { version: '1.0.0' },
        quarantined: ['op.v1.0.0', 'op.v1.1.0', 'op.v2.0.0'],
        catalogs: [serving('a', chain)],
      },
      says: [
        'Package "op": op.v1.0.0 failed before and is quarantined',
        'Release op.v1.0.0 from quarantine by asking for a reconcile',
      ],
    },
  ])('$because', ({ given, says }) => {
    expect(reported(given)).toEqual(says);
  });
});

describe('to let dependencies be installed is suggested if that helps', () => {
  const lib = packageOf('lib', one);
  const requiring = (
    properties: Readonly<Record<string, readonly Property[]>>,
    wanted: Ask['wanted'] = {},
  ): readonly Suggestion['change'][] => {
    const catalogs = [serving('a', packageOf('op', chain, { properties }), lib)];
    const decision = ask({ wanted: { dependencies: 'Require', ...wanted }, catalogs });
    return decision.kind === 'none' ? decision.suggestions.map(({ change }) => change) : [];
  };
  const has = [needs('lib', '>=1.0.0')];
  const lacks = [needs('gone', '>=1.0.0')];
  test.each<{
    readonly because: string;
    readonly properties: Readonly<Record<string, readonly Property[]>>;
    readonly version?: string;
    readonly isSuggested: boolean;
  }>([
    { because: 'the version asked for could have them', properties: { '1.0.0': has, '1.1.0': has, '2.0.0': has }, isSuggested: true }, // prettier-ignore
    { because: 'only a lower version could have them', properties: { '1.0.0': has, '1.1.0': lacks, '2.0.0': lacks }, isSuggested: true }, // prettier-ignore
    { because: 'no catalog has them', properties: { '1.0.0': lacks, '1.1.0': lacks, '2.0.0': lacks }, isSuggested: false }, // prettier-ignore
    { because: 'only a version that is not asked for could have them', version: '1.0.0', properties: { '1.0.0': lacks, '1.1.0': has, '2.0.0': has }, isSuggested: false }, // prettier-ignore
    { because: 'the version asked for could have them, others could not', version: '1.0.0', properties: { '1.0.0': has, '1.1.0': lacks, '2.0.0': lacks }, isSuggested: true }, // prettier-ignore
  ])('$because: $isSuggested', ({ properties, version, isSuggested }) => {
    const wanted = version === undefined ? {} : { version };
    expect(requiring(properties, wanted).includes('dependencies')).toBe(isSuggested);
  });
});

describe('an explanation reports the edges of the installed bundle as they are', () => {
  const far: SmallPackage = {
    bundles: ['1.0.0', '1.1.0', '3.0.0'],
    channels: { stable: [{ version: '1.0.0' }, { version: '1.1.0', replaces: '1.0.0' }, { version: '3.0.0' }] },
  };
  test.each<Case>([
    {
      because: 'edges lead on, but not to the requested version',
      given: { installed: '1.0.0', wanted: { version: '3.0.0' }, catalogs: [serving('a', far)] },
      says: [
        'Package "op": these cannot hold together: from the installed op.v1.0.0 edges lead only to op.v1.1.0; the version must be in "3.0.0"',
        'Let version include 1.1.0; or set edges to Ignore to install 3.0.0 without following the graph; or let op.v3.0.0 in channel "stable" of the catalog accept op.v1.0.0 by replaces, skips or skipRange',
      ],
    },
    {
      because: 'there are none',
      given: { ...pinned, catalogs: [serving('a', loose)] },
      says: [
        'Package "op": these cannot hold together: no edges lead on from the installed op.v1.0.0; the version must be in "2.0.0"',
        `Set edges to Ignore to install 2.0.0 without following the graph; or ${NEW_EDGE}; or let version include 1.0.0, which is installed`,
      ],
    },
    {
      because: 'there are none in that channel',
      given: {
        installed: '1.0.0',
        wanted: { channel: 'fast' },
        catalogs: [
          serving('a', {
            bundles: ['1.0.0', '1.1.0', '3.0.0'],
            channels: {
              stable: [{ version: '1.0.0' }, { version: '1.1.0', replaces: '1.0.0' }],
              fast: [{ version: '3.0.0' }],
            },
          }),
        ],
      },
      says: [
        'Package "op": these cannot hold together: no edges of channel "fast" lead on from the installed op.v1.0.0; the channel is "fast"',
        'Set channel to "stable", which gives 1.1.0; or set edges to Ignore to install 3.0.0 without following the graph; or let op.v3.0.0 in channel "fast" of the catalog accept op.v1.0.0 by replaces, skips or skipRange',
      ],
    },
    {
      because: 'the catalog does not know where they start',
      given: { installed: '0.9.0', wanted: { version: '2.0.0' }, catalogs: [serving('a', { ...chain, channels: { stable: [{ version: '1.0.0', skips: ['0.9.0'] }, { version: '2.0.0' }] } })] }, // prettier-ignore
      says: [
        'Package "op": these cannot hold together: from the installed op.v0.9.0, which is not in the catalog, edges lead only to op.v1.0.0; the version must be in "2.0.0"',
        'Let version include 1.0.0; or set edges to Ignore to install 2.0.0 without following the graph; or let op.v2.0.0 in channel "stable" of the catalog accept op.v0.9.0 by replaces, skips or skipRange',
      ],
    },
  ])('$because', ({ given, says }) => {
    expect(reported(given)).toEqual(says);
  });
});

describe('an explanation suggests the changes that help', () => {
  const newer = chainOf('1.0.0', '3.0.0');
  const unselected = { ...serving('b', chain), selected: false };
  test.each<Case>([
    {
      because: 'another catalog has the version, and the one of origin does not',
      given: { installed: '1.0.0', wanted: { version: '3.0.0' }, catalogs: [serving('a', one), serving('b', newer)] },
      says: [
        'Package "op": the version must be in "3.0.0" (there is: 1.0.0)',
        'Set catalog to b, which gives 3.0.0; or let version include 1.0.0, which is installed',
      ],
    },
    {
      because: 'the named catalog lacks the package, and another has it',
      given: { wanted: { catalog: 'a' }, catalogs: [serving('a'), unselected] },
      says: ['Package "op": catalog a does not have it', 'Set catalog to b, which gives 2.0.0'],
    },
    {
      because: 'the named catalog is misspelt',
      given: { wanted: { catalog: 'x' }, catalogs: [unselected] },
      says: ['Package "op": there is no catalog x', 'Set catalog to b, which gives 2.0.0'],
    },
    {
      because: 'the selector matches none',
      given: { wanted: { catalogSelector: { matchLabels: { tier: 'gold' } } }, catalogs: [unselected] },
      says: [
        'Package "op": there is no catalog to search',
        'Set catalog to b instead of catalogSelector, which gives 2.0.0',
      ],
    },
    {
      because: 'no other catalog offers a better bundle',
      given: { wanted: { catalog: 'a', version: '9.0.0' }, catalogs: [serving('a'), unselected] },
      says: ['Package "op": catalog a does not have it'],
    },
    {
      because: 'what another catalog offers needs what it does not have itself',
      given: {
        wanted: { catalog: 'a' },
        catalogs: [
          serving('a', packageOf('lib', one)),
          {
            ...serving('b', packageOf('op', one, { properties: { '1.0.0': [needs('lib', '>=1.0.0')] } })),
            selected: false,
          },
        ],
      },
      says: ['Package "op": catalog a does not have it'],
    },
    {
      because: 'another package provides what only one may',
      given: {
        catalogs: [serving('a', packageOf('op', one, { properties: { '1.0.0': [provides('Thing')] } }))],
        cluster: { providedKinds: [], packages: [installed('rival', '1.0.0', [provides('Thing')])] },
      },
      says: [
        'Package "op": the dependencies of op.v1.0.0 cannot be satisfied: rival.v1.0.0 is installed by Subscription ns/rival and is not changed for another package; only one package may provide Thing.v1.x.io (here rival, op)',
        'Uninstall rival, installed by Subscription ns/rival',
      ],
    },
    {
      because: 'a bundle excludes what is installed',
      given: {
        catalogs: [
          serving(
            'a',
            packageOf('op', one, {
              properties: {
                '1.0.0': [
                  {
                    type: 'olm.constraint',
                    value: { not: { constraints: [{ package: { packageName: 'lib', versionRange: '>=2.0.0' } }] } },
                  },
                ],
              },
            }),
          ),
        ],
        cluster: { providedKinds: [], packages: [installed('lib', '2.0.0', [{ type: 'olm.package', value: { packageName: 'lib', version: '2.0.0' } }])] }, // prettier-ignore
      },
      says: [
        'Package "op": the dependencies of op.v1.0.0 cannot be satisfied: lib.v2.0.0 is installed by Subscription ns/lib and is not changed for another package; op.v1.0.0 needs none of (lib in ">=2.0.0")',
        'Uninstall lib, installed by Subscription ns/lib',
      ],
    },
    {
      because: 'two requirements exclude each other, and only to do without them is left',
      given: {
        catalogs: [
          serving(
            'a',
            packageOf('op', one, { properties: { '1.0.0': [needs('lib', '>=2.0.0'), needs('lib', '<2.0.0')] } }),
            packageOf('lib', chain),
          ),
        ],
      },
      says: [
        'Package "op": the dependencies of op.v1.0.0 cannot be satisfied: op.v1.0.0 needs lib in ">=2.0.0" (there are: 2.0.0, 1.1.0, 1.0.0); op.v1.0.0 needs lib in "<2.0.0" (there are: 2.0.0, 1.1.0, 1.0.0)',
        'Set dependencies to Ignore to install op.v1.0.0 without its dependencies',
      ],
    },
    {
      because: 'the cluster is too old for every version',
      given: {
        cluster: old,
        catalogs: [serving('a', packageOf('op', one, { properties: { '1.0.0': [needsKubernetes('1.31')] } }))],
      },
      says: [
        'Package "op": op.v1.0.0: it needs Kubernetes 1.31 and the cluster has 1.30.0',
        'Upgrade the cluster to Kubernetes 1.31',
      ],
    },
    {
      because: 'two changes are needed, and neither is enough',
      given: {
        installed: '1.0.0',
        wanted: { channel: 'stable', version: '3.0.0' },
        catalogs: [
          serving('a', { bundles: ['1.0.0', '3.0.0'], channels: { stable: [{ version: '1.0.0' }], fast: [{ version: '3.0.0' }] } }), // prettier-ignore
        ],
      },
      says: [
        'Package "op": these cannot hold together: the version must be in "3.0.0"; the channel is "stable"',
        'Set channel to "fast", which gives 3.0.0, and set edges to Ignore to install 3.0.0 without following the graph; or let version include 1.0.0, which is installed',
      ],
    },
  ])('$because', ({ given, says }) => {
    expect(reported(given)).toEqual(says);
  });
});

describe('the sentence about a choice mentions', () => {
  const deprecated = packageOf('op', chain, {
    deprecations: [{ schema: 'olm.bundle', name: 'op.v2.0.0', message: 'it leaks' }],
  });
  const needy = packageOf('op', chain, { properties: { '2.0.0': [needs('lib', '>=1.0.0')] } });
  const upTo = (version: string, value: string): ReturnType<typeof packageOf> =>
    packageOf('op', chain, { properties: { [version]: [{ type: 'olm.maxOpenShiftVersion', value }] } });
  test.each<Case>([
    {
      because: 'a head that no edge leads to',
      given: { installed: '1.0.0', catalogs: [serving('a', loose)] },
      says: [
        'op.v1.0.0 is the newest that channel "stable" of catalog a allows; the head op.v2.0.0 is not chosen: no edges lead to it from op.v1.0.0',
      ],
    },
    {
      because: 'a head that is quarantined',
      given: { installed: '1.1.0', quarantined: ['op.v2.0.0'], catalogs: [serving('a', chain)] },
      says: [
        'op.v1.1.0 is the newest that channel "stable" of catalog a allows; the head op.v2.0.0 is not chosen: it failed before and is quarantined',
      ],
    },
    {
      because: 'a head whose dependencies cannot be satisfied',
      given: { installed: '1.0.0', catalogs: [serving('a', needy)] },
      says: [
        'op.v1.1.0 from channel "stable" of catalog a; the head op.v2.0.0 is not chosen: its dependencies cannot be satisfied: op.v2.0.0 needs lib in ">=1.0.0", which no catalog has',
      ],
    },
    {
      because: 'a head that is deprecated',
      given: { catalogs: [serving('a', deprecated)] },
      says: [
        'op.v1.1.0 from channel "stable" of catalog a; the head op.v2.0.0 is not chosen: it is deprecated: it leaks',
      ],
    },
    {
      because: 'a downgrade',
      given: { installed: '2.0.0', wanted: { version: '1.1.0', edges: 'Ignore' }, catalogs: [serving('a', chain)] },
      says: ['op.v1.1.0 from channel "stable" of catalog a; it goes down from op.v2.0.0 to op.v1.1.0'],
    },
    {
      because: 'a dependency that two catalogs of one priority have',
      given: {
        catalogs: [
          serving('a', packageOf('op', one, { properties: { '1.0.0': [needs('lib', '>=1.0.0')] } })),
          serving('c', packageOf('lib', chainOf('1.5.0'))),
          serving('b', packageOf('lib', one)),
        ],
      },
      says: [
        'op.v1.0.0 from channel "stable" of catalog a; lib.v1.0.0 is taken from catalog b, as its name comes before c of the same priority',
      ],
    },
    {
      because: "a dependency from the dependent's own catalog has no rivals",
      given: {
        catalogs: [
          serving(
            'b',
            packageOf('op', one, { properties: { '1.0.0': [needs('lib', '>=1.0.0')] } }),
            packageOf('lib', one),
          ),
          serving('a', packageOf('lib', one)),
        ],
      },
      says: ['op.v1.0.0 from channel "stable" of catalog b'],
    },
    ...(['4.8.30', '4.9.3'] as const).map((has): Case => ({
      because: `a cluster of OpenShift ${has}, the last one that the next bundle supports, or a newer one`,
      given: {
        installed: '1.1.0',
        catalogs: [serving('a', upTo('2.0.0', '4.8'))],
        cluster: { openShiftVersion: has, providedKinds: [] },
      },
      says: [
        `op.v2.0.0 from channel "stable" of catalog a; it supports OpenShift up to 4.8, and the cluster has ${has}`,
      ],
    })),
    {
      because: 'no limit of OpenShift that only another bundle has',
      given: {
        installed: '2.0.0',
        catalogs: [serving('a', upTo('1.1.0', '4.8'))],
        cluster: { openShiftVersion: '4.9.3', providedKinds: [] },
      },
      says: ['op.v2.0.0 is the newest that channel "stable" of catalog a allows'],
    },
  ])('$because', ({ given, says }) => {
    expect(reported(given)).toEqual(says);
  });

  test.each<{ readonly why: string; readonly given: Ask; readonly says: string }>([
    {
      why: 'named',
      given: { wanted: { catalog: 'b' }, catalogs: [serving('a', chain), serving('b', chain)] },
      says: 'from catalog b instead of a, because the spec names b',
    },
    {
      why: 'notSelected',
      given: { catalogs: [{ ...serving('a', chain), selected: false }, serving('b', chain)] },
      says: 'from catalog b instead of a, because the spec does not select a',
    },
    {
      why: 'lacking',
      given: { catalogs: [serving('a'), serving('b', chain)] },
      says: 'from catalog b instead of a, because a no longer has the package',
    },
    {
      why: 'gone',
      given: { catalogs: [serving('b', chain)] },
      says: 'from catalog b instead of a, because there is no catalog a any more',
    },
  ])('a move to another catalog: $why', ({ why, given, says }) => {
    const decision = ask({ installed: '1.0.0', ...given }) as Choice;
    expect(decision.catalogChange?.why).toBe(why);
    expect(decision.catalogChange && describeCatalogChange(decision.catalogChange)).toBe(says);
    expect(reported({ installed: '1.0.0', ...given })[0]).toContain(`; it moves ${says}`);
    expect(reported({ installed: '2.0.0', ...given })[0]).toContain(`; it moves ${says}`);
  });

  test('a downgrade has a sentence of its own, for events and conditions', () => {
    const wanted = { version: '1.0.0', edges: 'Ignore' } as const;
    const decision = ask({ installed: '1.1.0', wanted, catalogs: [serving('a', chain)] }) as Choice;
    expect([decision.downgrade, describeDowngrade(decision)]).toEqual([true, 'goes down from op.v1.1.0 to op.v1.0.0']);
  });
});

describe('deprecations of the installed bundle', () => {
  const content = packageOf('op', chain, {
    deprecations: [
      { schema: 'olm.package', message: 'use another' },
      { schema: 'olm.channel', name: 'stable', message: 'use fast' },
      { schema: 'olm.bundle', name: 'op.v1.0.0', message: 'it leaks' },
    ],
  });
  const all = { package: 'use another', channel: 'use fast', bundle: 'it leaks' };
  test.each<{ readonly because: string; readonly given: Ask; readonly expected: unknown }>([
    {
      because: 'the deprecation concerns the next version only',
      given: { installed: '1.0.0', channel: 'stable', catalogs: [serving('a', content)] },
      expected: all,
    },
    {
      because: 'there is no answer about the next version',
      given: { installed: '1.0.0', channel: 'stable', wanted: { version: '9.0.0' }, catalogs: [serving('a', content)] },
      expected: all,
    },
    {
      because: 'the spec does not select the catalog of origin any more',
      given: { installed: '1.0.0', channel: 'stable', catalogs: [{ ...serving('a', content), selected: false }] },
      expected: all,
    },
    {
      because: 'the catalog of origin is gone, and its successor states the deprecation',
      given: { installed: '1.0.0', channel: 'gone', origin: 'x', catalogs: [serving('a', content)] },
      expected: { package: 'use another', bundle: 'it leaks' },
    },
    {
      because: 'what is installed is not deprecated, though its successor may be',
      given: { installed: '1.0.0', catalogs: [serving('a', packageOf('op', chain, { deprecations: [{ schema: 'olm.bundle', name: 'op.v1.1.0', message: 'no' }] }))] }, // prettier-ignore
      expected: {},
    },
    { because: 'no catalog states it', given: { installed: '1.0.0', catalogs: [] }, expected: undefined },
    { because: 'nothing is installed', given: { catalogs: [serving('a', content)] }, expected: undefined },
  ])('$because', ({ given, expected }) => {
    expect(ask(given).inUse).toEqual(expected);
  });
});
