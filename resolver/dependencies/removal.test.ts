import { expect, test } from 'vitest';
import type { InstalledPackage } from '../input.ts';
import { dependentsOf, findUnneeded, orderOfRemoval } from './removal.ts';

/** `db needs disk`: a package with its requirements, as a dependency unless a person requested it. */
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
  { packages: [installed('web', [], false)], unneeded: [], because: 'a person requested it' },
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
    because: 'two packages that need only each other are unneeded',
  },
])('findUnneeded returns $unneeded: $because', ({ packages, unneeded }) => {
  expect(names(findUnneeded(packages))).toEqual(unneeded);
});

test('a package is removed before its dependencies, and a circle does not block the removal of the rest', () => {
  const packages = [installed('disk'), installed('db', ['disk']), installed('x', ['y']), installed('y', ['x', 'disk'])];
  const order = names(orderOfRemoval(packages));
  expect(order.toSorted()).toEqual(['db', 'disk', 'x', 'y']);
  expect(order.at(-1)).toBe('disk');
});

test.each([
  { one: 'db', others: [installed('db'), installed('web', ['db'])], first: ['web'], because: 'web needs db' },
  {
    one: 'db',
    others: [installed('db', ['db'])],
    first: [],
    because: 'a package that needs itself waits for no other',
  },
  {
    one: 'b',
    others: [installed('a', ['b']), installed('b', ['a'])],
    first: ['a'],
    because: 'of two that need each other, the first by name goes first',
  },
  {
    one: 'a',
    others: [installed('a', ['b']), installed('b', ['a'])],
    first: [],
    because: 'of two packages that need each other, the first by name does not wait',
  },
])('$first are removed before $one: $because', ({ one, others, first }) => {
  const asked = others.find((other) => other.package === one) ?? installed(one);
  expect(names(dependentsOf(asked, others))).toEqual(first);
});

test('a long chain of packages is removed from its top', () => {
  const chain = Array.from({ length: 300 }, (_, at) => installed(`p${at}`, at < 299 ? [`p${at + 1}`] : []));
  expect(names(orderOfRemoval(chain.toReversed()))).toEqual(names(chain));
});
