import { describe, expect, test } from 'vitest';
import type { CatalogPackage, Property } from '../../catalog/model.ts';
import { explainDecision } from '../../resolver/explain.ts';
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

  test('has the new package wait for the upgrade of the old one, and nothing is to be uninstalled', () => {
    const fleet = new Fleet([old(needs('split')), SPLIT], [OLD, { package: 'split', dependency: true }]);
    const { decision } = fleet.hold('old', '1.1.0', 'DependencyNotReady').reconcile('split');
    const suggestions = decision.kind === 'none' ? decision.suggestions : [];
    expect(suggestions.map(({ change }) => change)).toEqual(['awaitPackage']);
    expect(explainDecision(decision, 'split').hint).toBe(
      'Wait until old has been upgraded to old.v1.1.0 by Subscription ops/old',
    );
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

  test('moves though the new package has windows, for which a first installation does not wait', () => {
    const windows = [{ cron: '0 3 * * *', duration: '1h', timeZone: 'UTC' }];
    const fleet = new Fleet([old(needs('split')), SPLIT], [OLD, { package: 'split', dependency: true, spec: { windows } }]); // prettier-ignore
    expect(settle(fleet, 'old', 'split')).toEqual(['1.1.0', '1.0.0']);
  });

  test('stays if the new package is installed and waits for a window with its upgrade', () => {
    const windows = [{ cron: '0 3 * * *', duration: '1h', timeZone: 'UTC' }];
    const split = pkg('split', { '1.0.0': [], '1.1.0': [CEPH] });
    const pinned = pkg('old', { '1.0.0': [CEPH], '1.1.0': [needs('split', '1.1.0')] });
    const fleet = new Fleet([pinned, split], [OLD, { package: 'split', installed: '1.0.0', dependency: true, spec: { windows } }]); // prettier-ignore
    expect(settle(fleet, 'old')).toEqual(['1.0.0']);
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

describe('a kind that moves to a package whose Subscription does not follow by itself', () => {
  test.each([
    { spec: { suspend: true }, because: 'it is suspended' },
    { spec: { approval: 'Manual' }, because: 'a person approves it' },
    { spec: { catalogSelector: { matchLabels: { team: 'a' } } }, because: 'it selects catalogs by labels' },
    { spec: { version: '<1.0.0' }, because: 'it wants another version' },
    { spec: { catalog: 'other' }, because: 'it wants another catalog' },
    { spec: { channel: 'alpha' }, because: 'it wants another channel' },
    {
      spec: { serviceAccountName: 'other' },
      because: 'it acts as an account, and may not take the CRD up',
      mine: false,
    },
  ])('keeps the old package at its version, and the message says how to go on: $because', ({ spec, mine = true }) => {
    const fleet = new Fleet([old(needs('split')), SPLIT], [OLD, { package: 'split', spec }]);
    const { action } = fleet.reconcile('old');
    const hold = mine
      ? {
          message: expect.stringContaining('set dependencies to Ignore to upgrade it first') as string,
          missing: [],
          needsPerson: true,
        }
      : { missing: [{ package: 'split' }] };
    expect(action).toMatchObject({ hold });
    expect(settle(fleet, 'old')).toEqual(['1.0.0']);
  });

  test('keeps the package of an account if an administrator has requested the new one', () => {
    const tenant = { ...OLD, spec: { serviceAccountName: 'installer' } };
    const fleet = new Fleet([old(needs('split')), SPLIT], [tenant, { package: 'split' }]);
    expect(settle(fleet, 'old')).toEqual(['1.0.0']);
  });
});

test('a kind moves though the new package and a third one need each other', () => {
  const split = pkg('split', { '1.0.0': [CEPH, needs('between')] });
  const between = pkg('between', { '1.0.0': [needs('split')] });
  const others = ['between', 'split'].map((name) => ({ package: name, dependency: true }));
  for (const required of ['split', 'between']) {
    const fleet = new Fleet([old(needs(required)), between, split], [OLD, ...others]);
    expect(settle(fleet, 'old', 'between', 'split')).toEqual(['1.1.0', '1.0.0', '1.0.0']);
  }
});

test('a kind moves though the new package serves it in another version', () => {
  const beta: Property = { ...CEPH, value: { group: 'ceph.example', version: 'v1beta1', kind: 'Ceph' } };
  const before = pkg('old', { '1.0.0': [beta], '1.1.0': [needs('split')] });
  const fleet = new Fleet([before, SPLIT], [OLD, { package: 'split', dependency: true }]);
  fleet.reconcile('old');
  expect(fleet.versionOf('old')).toBe('1.1.0');
});

test('a package that serves its kind in a newer version gives up nothing', () => {
  const beta: Property = { ...CEPH, value: { group: 'ceph.example', version: 'v1beta1', kind: 'Ceph' } };
  const same = pkg('old', { '1.0.0': [beta], '1.1.0': [CEPH, needs('split')] });
  const lamp: Property = { ...CEPH, value: { group: 'lamp.example', version: 'v1', kind: 'Lamp' } };
  const fleet = new Fleet([same, pkg('split', { '1.0.0': [lamp] })], [OLD, { package: 'split' }]);
  expect(fleet.reconcile('old').action).toMatchObject({ hold: { reason: 'DependencyNotReady' } });
});

test('a library that needs the moving kind is installed before, while the old package provides it', () => {
  const library = pkg('library', { '1.0.0': [NEEDS_CEPH] });
  const members = [OLD, { package: 'split', dependency: true }, { package: 'library', dependency: true }];
  const fleet = new Fleet([old(needs('split'), needs('library')), SPLIT, library], members);
  expect(fleet.reconcile('old').action).toMatchObject({
    hold: { message: expect.stringContaining('library.v1.0.0') as string },
  });
  expect(settle(fleet, 'library', 'old', 'split')).toEqual(['1.0.0', '1.1.0', '1.0.0']);
});

test('a dependency with other kinds is waited for', () => {
  const lamp: Property = { ...CEPH, value: { group: 'lamp.example', version: 'v1', kind: 'Lamp' } };
  const fleet = new Fleet([old(needs('split')), pkg('split', { '1.0.0': [lamp] })], [OLD, { package: 'split' }]);
  expect(fleet.reconcile('old').action).toMatchObject({ hold: { reason: 'DependencyNotReady' } });
});
