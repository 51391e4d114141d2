import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import type { CatalogPackage, Property } from '../../catalog/model.ts';
import type { CatalogSource, InstalledPackage, ResolveInput } from '../input.ts';
import { resolve } from '../resolve.ts';
import { catalogOf, randomQuestion } from '../testing/random-catalogs.ts';

/** A package that nothing in the random catalogs depends on; itself it may depend on anything. */
interface Stranger {
  readonly name: string;
  readonly versions: number;
  readonly provides: readonly string[];
  readonly needs: readonly string[];
  readonly needsKinds: readonly string[];
}

const NAMES = ['u0', 'u1', 'u2', 'u3'];
const KINDS = ['U0', 'U1'];

const stranger: fc.Arbitrary<Stranger> = fc.record({
  name: fc.constantFrom(...NAMES),
  versions: fc.integer({ min: 1, max: 3 }),
  provides: fc.uniqueArray(fc.constantFrom(...KINDS), { maxLength: 2 }),
  needs: fc.array(fc.constantFrom(...NAMES, 'p0', 'p1', 'p2'), { maxLength: 2 }),
  needsKinds: fc.array(fc.constantFrom(...KINDS, 'K0', 'K1'), { maxLength: 1 }),
});

const strangers = fc.uniqueArray(stranger, { maxLength: 4, selector: ({ name }) => name });

const kind = (name: string): object => ({ group: 'example.com', version: 'v1', kind: name });

function propertiesOf({ name, provides, needs, needsKinds }: Stranger, version: string): readonly Property[] {
  return [
    { type: 'olm.package', value: { packageName: name, version } },
    ...provides.map((one) => ({ type: 'olm.gvk', value: kind(one) })),
    ...needs.map((one) => ({ type: 'olm.package.required', value: { packageName: one, versionRange: '>=1.0.0' } })),
    ...needsKinds.map((one) => ({ type: 'olm.gvk.required', value: kind(one) })),
  ];
}

function packageOf(one: Stranger): CatalogPackage {
  const bundles = Array.from({ length: one.versions }, (_, index) => {
    const version = `${index + 1}.0.0`;
    const image = `registry.example/${one.name}:${version}`;
    const properties = propertiesOf(one, version);
    return { name: `${one.name}.v${index + 1}`, package: one.name, version, image, properties, relatedImages: [] };
  });
  const entries = bundles.map(({ name }) => ({ name, skips: [] }));
  return { name: one.name, defaultChannel: 'main', channels: [{ name: 'main', entries }], bundles, deprecations: [] };
}

/** A catalog with some packages more. */
function extended(source: CatalogSource, more: readonly CatalogPackage[]): CatalogSource {
  const added = catalogOf(source.name, more);
  return {
    ...source,
    content: (name) => added.content(name) ?? source.content(name),
    packages: () => [...(added.packages?.() ?? []), ...(source.packages?.() ?? [])],
    providersOf: (one) => [...(added.providersOf?.(one) ?? []), ...(source.providersOf?.(one) ?? [])],
  };
}

/** Installed by a Subscription of its own; it requires nothing that the plan is about. */
function installedOf(one: Stranger, index: number): InstalledPackage {
  const apart = {
    ...one,
    needs: one.needs.filter((name) => NAMES.includes(name)),
    needsKinds: one.needsKinds.filter((name) => KINDS.includes(name)),
  };
  return {
    package: one.name,
    bundle: `${one.name}.v1`,
    version: '1.0.0',
    catalog: 'c',
    image: '',
    properties: propertiesOf(apart, '1.0.0'),
    dependency: index % 2 === 0,
    subscription: `ops/${one.name}`,
  };
}

function ask(seed: number): ResolveInput {
  const { catalogs, cluster } = randomQuestion(seed, { packages: 8, versions: 4, kinds: 3, installed: 3 });
  return {
    wanted: { package: 'p0', edges: 'Follow', dependencies: seed % 7 === 0 ? 'Require' : 'Install' },
    catalogs,
    quarantined: [],
    cluster,
  };
}

const seeds = fc.integer({ min: 1, max: 100_000 });
const RUNS = { numRuns: runsOf(200) };

test(
  'a package that nothing depends on does not change a plan, whatever its own dependencies',
  { timeout: 60_000 },
  () => {
    const steps = { some: 0, none: 0 };
    fc.assert(
      fc.property(seeds, strangers, (seed, added) => {
        const input = ask(seed);
        const decision = resolve(input);
        steps[decision.kind !== 'none' && decision.dependencies.length > 0 ? 'some' : 'none']++;
        const catalogs = input.catalogs.map((source) => extended(source, added.map(packageOf)));
        expect(resolve({ ...input, catalogs })).toEqual(decision);
      }),
      RUNS,
    );
    expect(steps.some).toBeGreaterThan(runsOf(10));
  },
);

test(
  'a catalog that has none of the needed packages does not change a plan, whatever its priority',
  { timeout: 60_000 },
  () => {
    fc.assert(
      fc.property(seeds, strangers, fc.integer({ min: -5, max: 5 }), fc.boolean(), (seed, added, priority, first) => {
        const input = ask(seed);
        const other = catalogOf('c', added.map(packageOf), priority);
        const catalogs = first ? [other, ...input.catalogs] : [...input.catalogs, other];
        expect(resolve({ ...input, catalogs })).toEqual(resolve(input));
      }),
      RUNS,
    );
  },
);

test(
  'a Subscription that neither needs nor provides the wanted package does not change a plan',
  { timeout: 60_000 },
  () => {
    fc.assert(
      fc.property(seeds, strangers, fc.boolean(), (seed, added, first) => {
        const input = ask(seed);
        const present = input.cluster?.packages ?? [];
        const more = added.map(installedOf);
        const packages = first ? [...more, ...present] : [...present, ...more];
        const cluster = { providedKinds: [], ...input.cluster, packages };
        expect(resolve({ ...input, cluster })).toEqual(resolve(input));
      }),
      RUNS,
    );
  },
);
