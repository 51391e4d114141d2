import { describe, expect, test } from 'vitest';
import type { CatalogBundle, Property } from '../../catalog/model.ts';
import type { InstalledPackage } from '../input.ts';
import { failsDependents } from './coming.ts';
import { dependentsOf } from './removal.ts';

const needsStore = (versionRange: string): Property => ({
  type: 'olm.package.required',
  value: { packageName: 'store', versionRange },
});

function installed(name: string, version: string, properties: readonly Property[] = []): InstalledPackage {
  const bundle = `${name}.v${version}`;
  return { package: name, bundle, version, catalog: 'c', image: 'i', properties, dependency: false };
}

function bundle(version: string): CatalogBundle {
  return { name: `store.v${version}`, package: 'store', version, image: 'i', properties: [], relatedImages: [] };
}

describe('a bundle that other packages wait for', () => {
  test.each([
    {
      because: 'it is in the range',
      version: '1.9.0',
      coming: [installed('shop', '1.0.0', [needsStore('<2.0.0')])],
      fails: false,
    },
    {
      because: 'it is beyond the range',
      version: '2.0.0',
      coming: [installed('shop', '1.0.0', [needsStore('<2.0.0')])],
      fails: true,
    },
    {
      because: 'every part of a constraint counts',
      version: '2.0.0',
      coming: [
        installed('shop', '1.0.0', [
          {
            type: 'olm.constraint',
            value: { all: { constraints: [{ package: { packageName: 'store', versionRange: '<2.0.0' } }] } },
          },
        ]),
      ],
      fails: true,
    },
    { because: 'no package waits for it', version: '2.0.0', coming: [], fails: false },
    {
      because: 'a package does not wait for itself',
      version: '2.0.0',
      coming: [installed('store', '1.0.0', [needsStore('<2.0.0')])],
      fails: false,
    },
  ])('version $version of a dependency that other packages wait for: $because', ({ version, coming, fails }) => {
    expect(failsDependents(bundle(version), { coming, packages: [] })?.kind === 'dependency').toBe(fails);
  });
});

test('a bundle that a package waits for which the reader may not know is refused without its requirement', () => {
  const shop = {
    ...installed('shop', '1.0.0', [needsStore('<2.0.0')]),
    subscription: 'market/shop',
    hidden: true as const,
  };
  expect(failsDependents(bundle('2.0.0'), { coming: [shop], packages: [] })).toEqual({
    kind: 'dependency',
    because: [{ kind: 'hiddenWay', subscription: 'market/shop' }],
  });
});

describe('removal', () => {
  const store = installed('store', '1.0.0');
  const shop = installed('shop', '1.0.0', [needsStore('>=1.0.0')]);

  test.each([
    { because: 'its dependent goes first', one: store, others: [shop], first: ['shop'] },
    { because: 'nothing depends on it', one: shop, others: [store], first: [] },
    {
      because: 'a package does not wait for packages that do not depend on it',
      one: store,
      others: [installed('other', '1.0.0')],
      first: [],
    },
  ])('the removal of $one.package waits for its dependents: $because', ({ one, others, first }) => {
    expect(dependentsOf(one, others).map((other) => other.package)).toEqual(first);
  });

  test('of two packages that depend on each other, neither waits for the removal of the other', () => {
    const needsShop = { type: 'olm.package.required', value: { packageName: 'shop', versionRange: '>=1.0.0' } };
    const circular = installed('store', '1.0.0', [needsShop]);
    const waits = [dependentsOf(circular, [shop]).length, dependentsOf(shop, [circular]).length];
    expect(waits.toSorted((a, b) => a - b)).toEqual([0, 1]);
  });
});
