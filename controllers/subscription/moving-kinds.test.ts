import { describe, expect, test } from 'vitest';
import type { CatalogPackage, Property } from '../../catalog/model.ts';
import { decideSubscription } from './decide.ts';
import { describeSurroundings } from './neighbours.ts';
import { facts, revision, subscription } from './testing/facts.ts';
import { Fleet, type FleetMember } from './testing/fleet.ts';

const CEPH: Property = { type: 'olm.gvk', value: { group: 'ceph.example', version: 'v1', kind: 'Ceph' } };
const NEEDS_CEPH: Property = { ...CEPH, type: 'olm.gvk.required' };

function needs(packageName: string, versionRange = '>=1.0.0'): Property {
  return { type: 'olm.package.required', value: { packageName, versionRange } };
}

/** A package whose versions follow each other. */
function pkg(name: string, versions: Readonly<Record<string, readonly Property[]>>): CatalogPackage {
  const names = Object.keys(versions).map((version) => `${name}.v${version}`);
  const entries = names.map((one, at) => ({ name: one, skips: [], ...(at > 0 && { replaces: names[at - 1]! }) }));
  const bundles = Object.entries(versions).map(([version, properties]) => ({
    name: `${name}.v${version}`,
    package: name,
    version,
    image: `registry.example/${name}:v${version}`,
    properties,
    relatedImages: [],
  }));
  return { name, defaultChannel: 'stable', channels: [{ name: 'stable', entries }], bundles, deprecations: [] };
}

/** The old package: its first version has the kind, and the second one does not. */
const old = (...required: readonly Property[]): CatalogPackage => pkg('old', { '1.0.0': [CEPH], '1.1.0': required });
const SPLIT = pkg('split', { '1.0.0': [CEPH] });
const OLD: FleetMember = { package: 'old', installed: '1.0.0' };

function settle(fleet: Fleet, ...names: readonly string[]): readonly (string | undefined)[] {
  for (let round = 0; round < 5; round += 1) for (const name of names) fleet.reconcile(name);
  return names.map((name) => fleet.versionOf(name));
}

describe('a kind that moves to a package which the old one requires', () => {
  test.each([
    { required: needs('split'), because: 'it requires the package' },
    { required: NEEDS_CEPH, because: 'it requires the kind' },
  ])('is requested from the new package, and not waited for: $because', ({ required }) => {
    const { action } = new Fleet([old(required), SPLIT], [OLD]).reconcile('old');
    expect(action).toMatchObject({ do: 'create', hold: { missing: [{ package: 'split' }] } });
    const fleet = new Fleet([old(required), SPLIT], [OLD, { package: 'split', dependency: true }]);
    expect(settle(fleet, 'old', 'split')).toEqual(['1.1.0', '1.0.0']);
  });

  test('moves though a person has requested the new package', () => {
    const fleet = new Fleet([old(needs('split')), SPLIT], [OLD, { package: 'split' }]);
    expect(settle(fleet, 'split', 'old')).toEqual(['1.0.0', '1.1.0']);
  });

  test('moves with an upgrade of the new package', () => {
    const split = pkg('split', { '1.0.0': [], '1.1.0': [CEPH] });
    const pinned = pkg('old', { '1.0.0': [CEPH, needs('split', '1.0.0')], '1.1.0': [needs('split', '1.1.0')] });
    const fleet = new Fleet([pinned, split], [OLD, { package: 'split', installed: '1.0.0', dependency: true }]);
    expect(settle(fleet, 'old', 'split')).toEqual(['1.1.0', '1.1.0']);
  });

  test('moves though a third package stands between', () => {
    const between = pkg('between', { '1.0.0': [needs('split')] });
    const others = ['between', 'split'].map((name) => ({ package: name, dependency: true }));
    const fleet = new Fleet([old(needs('between')), between, SPLIT], [OLD, ...others]);
    expect(settle(fleet, 'old', 'between', 'split')).toEqual(['1.1.0', '1.0.0', '1.0.0']);
  });

  test('lets the old package wait for its other dependencies', () => {
    const library = pkg('library', { '1.0.0': [] });
    const fleet = new Fleet([old(needs('split'), needs('library')), SPLIT, library], [OLD, { package: 'split' }, { package: 'library' }]); // prettier-ignore
    const { action } = fleet.reconcile('old');
    expect(action).toMatchObject({ hold: { message: expect.stringContaining('library.v1.0.0') as string } });
    expect(action).toMatchObject({ hold: { message: expect.not.stringContaining('split.v1.0.0') as string } });
    expect(settle(fleet, 'library', 'split', 'old')).toEqual(['1.0.0', '1.0.0', '1.1.0']);
  });
});

test.each([
  { state: 'Active', does: 'create', because: 'that version is being rolled out' },
  { state: 'Archived', does: 'nothing', because: 'that version is not active' },
] as const)(
  'the new package may take up a kind of the old one, whose next version lacks it: $because',
  ({ state, does }) => {
    const stored = [{ type: CEPH.type, value: JSON.stringify(CEPH.value) }];
    const installed = revision({ package: 'old', version: '1.0.0', number: 1, state: 'Archived', properties: stored });
    const next = revision({ package: 'old', version: '1.1.0', number: 2, state, ready: false });
    const { bundle, version, image } = installed.spec;
    const status = { installed: { bundle, version, image, catalog: 'main', revision: installed.metadata.name } };
    const neighbour = { subscription: subscription({ name: 'old', spec: { package: 'old' }, status }), revisions: [installed, next] }; // prettier-ignore
    const content = (name: string): CatalogPackage | undefined => [old(), SPLIT].find((one) => one.name === name);
    const catalogs = [{ name: 'main', priority: 0, state: 'Serving', content }] as const;
    const one = { subscription: subscription({ name: 'split', spec: { package: 'split' } }), revisions: [] };
    const cluster = { providedKinds: [], ...describeSurroundings(one, [neighbour]) };
    expect(decideSubscription(facts({ ...one, neighbours: [neighbour], catalogs, cluster }))).toMatchObject({
      action: { do: does },
    });
  },
);

test('a dependency with other kinds is waited for', () => {
  const lamp: Property = { ...CEPH, value: { group: 'lamp.example', version: 'v1', kind: 'Lamp' } };
  const fleet = new Fleet([old(needs('split')), pkg('split', { '1.0.0': [lamp] })], [OLD, { package: 'split' }]);
  expect(fleet.reconcile('old').action).toMatchObject({ hold: { reason: 'DependencyNotReady' } });
});
