import { describe, expect, test } from 'vitest';
import { catalogFolder, describeImage, notACatalog, refuseCatalogImage } from './image-labels.ts';

const BUNDLE = { 'operators.operatorframework.io.bundle.package.v1': 'gadget' };
const CATALOG = { 'operators.operatorframework.io.index.configs.v1': '/c' };
const DATABASE = { 'operators.operatorframework.io.index.database.v1': '/database/index.db' };

describe('an image without packages is described by its labels', () => {
  test.each([
    {
      because: 'it is a bundle',
      labels: BUNDLE,
      says: 'a bundle of the package gadget',
      advises: 'slipway catalog build',
    },
    { because: 'it is a catalog in files', labels: CATALOG, says: 'a catalog in /c', advises: 'slipway catalog build' },
    { because: 'it is a catalog in a database', labels: DATABASE, says: 'a SQLite database', advises: 'opm migrate' },
    {
      because: 'beside a database, the files count',
      labels: { ...DATABASE, ...CATALOG },
      says: 'a catalog in /c',
      advises: 'slipway catalog build',
    },
    { because: 'it has no labels', labels: {}, says: 'no label', advises: 'slipway catalog build' },
  ])('$because', ({ labels, says, advises }) => {
    const error = notACatalog(describeImage(labels));
    expect(error.reason).toBe('CatalogInvalid');
    expect(error.message).toContain(says);
    expect(error.hint).toContain(advises);
  });
});

test('the image of a catalog of either form is no bundle', () => {
  for (const labels of [CATALOG, DATABASE]) {
    expect(() => refuseCatalogImage(labels)).toThrow(expect.objectContaining({ reason: 'BundleInvalid' }));
  }
  for (const labels of [{}, BUNDLE, { ...BUNDLE, ...DATABASE }]) expect(() => refuseCatalogImage(labels)).not.toThrow();
});

test('a bundle has no folder of a catalog, unless a label names it', () => {
  expect(() => catalogFolder(BUNDLE)).toThrow(expect.objectContaining({ reason: 'CatalogInvalid' }));
  expect([{ ...BUNDLE, ...CATALOG }, DATABASE].map(catalogFolder)).toEqual(['/c', '/configs']);
});
