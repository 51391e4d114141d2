import { expect, test } from 'vitest';
import type { InstalledPackage } from '../input.ts';
import { findUnneeded, orderOfRemoval } from './removal.ts';

/** `db needs disk`: a package with what it needs, as a dependency unless a person asked for it. */
function installed(name: string, needs: readonly string[] = [], dependency = true): InstalledPackage {
  return {
    package: name,
    bundle: `${name}.v1.0.0`,
    version: '1.0.0',
    catalog: 'a',
    image: '',
    dependency,
    properties: needs.map((need) => ({
      type: 'olm.package.required',
      value: { packageName: need, versionRange: '>=1.0.0' },
    })),
  };
}

const names = (packages: readonly InstalledPackage[]): readonly string[] => packages.map((one) => one.package);

test.each([
  { packages: [installed('web', [], false)], unneeded: [], because: 'a person asked for it' },
  { packages: [installed('web', ['db'], false), installed('db')], unneeded: [], because: 'web needs db' },
  { packages: [installed('web', [], false), installed('db')], unneeded: ['db'], because: 'nothing needs db' },
  {
    packages: [installed('web', ['db'], false), installed('db', ['disk']), installed('disk')],
    unneeded: [],
    because: 'web needs disk by way of db',
  },
  {
    packages: [installed('disk'), installed('db', ['disk'])],
    unneeded: ['db', 'disk'],
    because: 'nothing needs db, and only db needs disk; db goes first',
  },
  {
    packages: [installed('a', ['b']), installed('b', ['a'])],
    unneeded: ['a', 'b'],
    because: 'two that need only each other are needed by nobody',
  },
])('$unneeded can go: $because', ({ packages, unneeded }) => {
  expect(names(findUnneeded(packages))).toEqual(unneeded);
});

test('whatever needs another package is removed before it, and a circle does not hold up the rest', () => {
  const packages = [installed('disk'), installed('db', ['disk']), installed('x', ['y']), installed('y', ['x', 'disk'])];
  const order = names(orderOfRemoval(packages));
  expect(order.toSorted()).toEqual(['db', 'disk', 'x', 'y']);
  expect(order.at(-1)).toBe('disk');
});
