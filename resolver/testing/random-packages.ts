/** Arbitrary packages with arbitrary graphs: circles, loops, gaps, several heads, invalid versions and ranges. */
import fc from 'fast-check';
import type { CatalogPackage, Channel, Property } from '../../catalog/model.ts';

const VERSIONS = [
  '0.1.0',
  '0.2.0',
  '1.0.0',
  '1.0.0+1',
  '1.0.1',
  '1.1.0-rc.1',
  '1.1.0',
  '1.2.0',
  '2.0.0',
  '2.1.0',
  '3.0.0',
  'v3.1.0',
];

/** Ranges that a Subscription could ask for. */
export const RANGES = [
  '1.0.0',
  '~1.0',
  '>=1.0.0',
  '<2.0.0',
  '>=1.0.0 <2.0.0',
  '1.x || 3.x',
  '!=1.1.0',
  '>=1.1.0-0',
  '>=9.0.0',
];

/** Channels that a Subscription could ask for; some packages do not have them. */
export const CHANNELS = ['stable', 'fast', '*', 'none'];

const SKIP_RANGES = ['<1.0.0', '<2.0.0', '>=1.0.0 <3.0.0', '1.x', '<v1.0.0', '>=0.0.0'];

const version = fc.constantFrom(...VERSIONS);

const entry = fc.record(
  {
    name: version.map(nameOf),
    replaces: version.map(nameOf),
    skips: fc.array(version.map(nameOf), { maxLength: 2 }),
    skipRange: fc.constantFrom(...SKIP_RANGES),
  },
  { requiredKeys: ['name', 'skips'] },
);

/**
 * Properties of some bundles: a newer cluster than `OLD_CLUSTER`, a limit of OpenShift, which excludes nothing, packages that
 * exist or not, invalid values.
 */
const DEMANDS: readonly Property[] = [
  { type: 'slipway.minKubeVersion', value: '1.31.0' },
  { type: 'slipway.minKubeVersion', value: '1.40' },
  { type: 'olm.maxOpenShiftVersion', value: '4.9' },
  { type: 'olm.package.required', value: { packageName: 'lib', versionRange: '>=1.0.0' } },
  { type: 'olm.package.required', value: { packageName: 'lib', versionRange: '<1.0.0' } },
  { type: 'olm.package.required', value: { packageName: 'gone', versionRange: '>=1.0.0' } },
  { type: 'olm.package.required', value: { packageName: 'lib', versionRange: 'what' } },
  {
    type: 'olm.constraint',
    value: { not: { constraints: [{ package: { packageName: 'lib', versionRange: '>=0.0.1' } }] } },
  },
];

/** A cluster that some bundles do not fit. */
export const OLD_CLUSTER = { kubernetesVersion: '1.30.2', openShiftVersion: '4.10.1', providedKinds: [] };

const properties = fc.oneof(
  { weight: 3, arbitrary: fc.constant<readonly Property[]>([]) },
  { weight: 1, arbitrary: fc.constantFrom(...DEMANDS).map((one): readonly Property[] => [one]) },
);

/** A package named `thing` whose bundles are named `thing.v<version>`. */
export const anyPackage: fc.Arbitrary<CatalogPackage> = fc.record({
  name: fc.constant('thing'),
  defaultChannel: fc.constantFrom('stable', 'fast', ''),
  channels: fc.uniqueArray(channelNamed(fc.constantFrom('stable', 'fast', 'slow')), {
    minLength: 1,
    maxLength: 3,
    selector: ({ name }) => name,
  }),
  bundles: fc
    .uniqueArray(fc.record({ version, properties }), { minLength: 1, maxLength: 10, selector: (one) => one.version })
    .map((several) =>
      several.map((one) => ({
        name: nameOf(one.version),
        package: 'thing',
        image: `registry.example/thing:${one.version}`,
        relatedImages: [],
        ...one,
      })),
    ),
  deprecations: fc
    .uniqueArray(version, { maxLength: 2 })
    .map((versions) =>
      versions.map((one) => ({ schema: 'olm.bundle' as const, name: nameOf(one), message: 'it has a fault' })),
    ),
});

/** A version that could be installed, known to the catalog or not. */
export const anyVersion: fc.Arbitrary<string> = fc.constantFrom(...VERSIONS, '1.0.5', '4.0.0');

/** How a bundle of a version is named. */
export function nameOf(one: string): string {
  return `thing.v${one}`;
}

function channelNamed(name: fc.Arbitrary<string>): fc.Arbitrary<Channel> {
  return fc.record({ name, entries: fc.array(entry, { maxLength: 12 }) });
}
