/** Which bundles a mirror takes for the requirements of another one, each read as the resolver reads it. */
import { describe, expect, test } from 'vitest';
import type { CatalogPackage, Property } from '../../../catalog/model.ts';
import { DependencyChooser } from './dependencies.ts';
import type { SearchedIndex } from './offers.ts';
import { selectBundles } from './select.ts';

/** Properties by version. */
type Versions = Readonly<Record<string, readonly Property[]>>;

function indexOf(packages: Readonly<Record<string, Versions>>): SearchedIndex {
  const contents = new Map(Object.entries(packages).map(([name, versions]) => [name, packageOf(name, versions)]));
  return {
    package: (name) => contents.get(name),
    packages: () => [...contents.keys()].map((name) => ({ name, defaultChannel: 'stable', channels: 1, bundles: 1 })),
    providersOf: ({ kind }) =>
      [...contents.values()]
        .filter(({ bundles }) => JSON.stringify(bundles).includes(`"kind":"${kind}"`))
        .map(({ name }) => name),
  };
}

function packageOf(name: string, versions: Versions): CatalogPackage {
  const bundles = Object.entries(versions).map(([version, properties]) => ({
    name: `${name}.v${version}`,
    package: name,
    version,
    image: '',
    properties: [{ type: 'olm.package', value: { packageName: name, version } }, ...properties],
    relatedImages: [],
  }));
  const entries = bundles.map((bundle) => ({ name: bundle.name, skips: [] }));
  return { name, defaultChannel: 'stable', channels: [{ name: 'stable', entries }], bundles, deprecations: [] };
}

const base = { group: 'a.example', version: 'v1', kind: 'Base' };
const certified = { type: 'certified', value: true };
const others: Readonly<Record<string, Versions>> = {
  base: { '1.0.0': [{ type: 'olm.gvk', value: base }] },
  tool: { '1.0.0': [certified], '2.0.0': [certified], '3.0.0': [] },
  widget: { '1.0.0': [], '1.1.0': [{ type: 'olm.label.required', value: { label: 'x' } }], '2.0.0': [] },
};

/** The bundles that are taken with `main`, which has one constraint, or other properties. */
function takenWith(...properties: readonly Property[]): readonly string[] {
  return selectBundles([indexOf({ main: { '1.0.0': properties }, ...others })], [{ package: 'main' }])
    .map(({ bundle }) => bundle.name)
    .filter((name) => name !== 'main.v1.0.0');
}

const constraint = (value: unknown): Property => ({ type: 'olm.constraint', value });
const packageNeed = (packageName: string, versionRange: string): object => ({ package: { packageName, versionRange } });
const isCertified = `properties.exists(p, p.type == 'certified')`;
const isWidget = `properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'widget' && semver_compare(p.value.version, '2.0.0') < 0)`;

describe('a requirement brings', () => {
  test.each<{ readonly because: string; readonly properties: readonly Property[]; readonly taken: readonly string[] }>([
    {
      because: 'a rule in CEL takes the latest version for which it holds',
      properties: [constraint({ cel: { rule: isCertified } })],
      taken: ['tool.v2.0.0'],
    },
    {
      because: 'a rule that names a package is about that package, and a version that no resolver reads is passed over',
      properties: [constraint({ cel: { rule: isWidget } })],
      taken: ['widget.v1.0.0'],
    },
    {
      because: 'a rule may be an alternative beside others, and all that exist are taken',
      properties: [
        constraint({ any: { constraints: [{ cel: { rule: isCertified } }, packageNeed('base', '>=1.0.0')] } }),
      ],
      taken: ['tool.v2.0.0', 'base.v1.0.0'],
    },
    {
      because: 'an alternative of several parts is taken whole, or not at all',
      properties: [
        constraint({
          any: {
            constraints: [
              { all: { constraints: [packageNeed('tool', '>=0.0.0'), packageNeed('nowhere', '>=0.0.0')] } },
              { all: { constraints: [packageNeed('base', '>=1.0.0'), packageNeed('widget', '<2.0.0')] } },
            ],
          },
        }),
      ],
      taken: ['base.v1.0.0', 'widget.v1.0.0'],
    },
    {
      because: 'a bundle that must be absent is not taken',
      properties: [
        constraint({ not: { constraints: [packageNeed('widget', '>=1.0.0'), packageNeed('nowhere', '>=0.0.0')] } }),
      ],
      taken: [],
    },
    {
      because: 'what must not be absent is required',
      properties: [constraint({ not: { constraints: [{ not: { constraints: [packageNeed('base', '>=1.0.0')] } }] } })],
      taken: ['base.v1.0.0'],
    },
    {
      because: 'fields are read in any case, as Go reads them',
      properties: [{ type: 'olm.package.required', value: { PackageName: 'base', versionrange: '>=1.0.0' } }],
      taken: ['base.v1.0.0'],
    },
    {
      because: 'a kind that the bundle provides itself needs no other one',
      properties: [
        { type: 'olm.gvk', value: base },
        { type: 'olm.gvk.required', value: base },
      ],
      taken: [],
    },
  ])('$because', ({ properties, taken }) => {
    expect(takenWith(...properties)).toEqual(taken);
  });
});

describe('a mirror without a dependency is refused', () => {
  test.each<{ readonly because: string; readonly property: Property; readonly says: string }>([
    {
      because: 'no bundle satisfies the rule, which is named',
      property: constraint({ cel: { rule: `properties.exists(p, p.type == 'gold')` } }),
      says: 'gold',
    },
    {
      because: 'the rule cannot be compiled',
      property: constraint({ cel: { rule: '1 +' } }),
      says: 'main.v1.0.0 cannot be installed',
    },
    {
      because: 'the resolver does not install a bundle that requires labels',
      property: { type: 'olm.label.required', value: { label: 'x' } },
      says: 'requirements of labels are not supported',
    },
    {
      because: 'a constraint has an unknown field',
      property: constraint({ anyOf: [packageNeed('base', '>=0.0.0')] }),
      says: 'anyOf',
    },
    {
      because: 'a part of all is in no catalog',
      property: constraint({
        all: { constraints: [packageNeed('base', '>=1.0.0'), packageNeed('nowhere', '>0.0.0')] },
      }),
      says: 'nowhere',
    },
  ])('$because', ({ property, says }) => {
    expect(() => takenWith(property)).toThrow(
      expect.objectContaining({ reason: 'InputInvalid', message: expect.stringContaining(says) as unknown }),
    );
  });

  test('a rule that costs too much says so, instead of a missing package', () => {
    const index = indexOf({ main: { '1.0.0': [constraint({ cel: { rule: isCertified } })] }, ...others });
    const [main] = index.package('main')!.bundles;
    expect(() => new DependencyChooser([index], { units: 100 }).dependenciesOf(main!)).toThrow(/cost too much/);
  });
});
