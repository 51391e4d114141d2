/**
 * The template that is a catalog whose bundles are named by image only: everything else is written as it will be,
 * and each bundle's entry is made from its image.
 */
import { field, listField, textField } from '../fields.ts';
import { isRecord, type Fields } from '../../api/untyped.ts';
import { bundleAt, invalidTemplate, type BundlesByImage, type CatalogDocument } from './template.ts';
import { normalizeDocument } from './normalize.ts';

export const BASIC_SCHEMA = 'olm.template.basic';

/** The images whose bundles the template needs, in its order, each once. */
export function basicImages(template: Fields): readonly string[] {
  const images = entriesOf(template)
    .filter(isBundle)
    .map((entry) => textField(entry, 'image') ?? '');
  return [...new Set(images)];
}

/**
 * The catalog that the template describes.
 *
 * Throws ReasonedError `CatalogInvalid` if it is no such template, a bundle has more than an image, or `bundles`
 * has none for an image.
 * @see https://olm.operatorframework.io/docs/reference/catalog-templates/#basic-template
 */
export function expandBasic(template: Fields, bundles: BundlesByImage): CatalogDocument[] {
  return entriesOf(template).map((entry) =>
    isBundle(entry) ? bundleAt(imageOf(entry), bundles) : normalizeDocument(entry),
  );
}

function entriesOf(template: Fields): readonly Fields[] {
  if (textField(template, 'schema') !== BASIC_SCHEMA) throw invalidTemplate(`its schema is not ${BASIC_SCHEMA}`);
  return listField(template, 'entries').filter(isRecord);
}

function isBundle(entry: Fields): boolean {
  return textField(entry, 'schema') === 'olm.bundle';
}

function imageOf(bundle: Fields): string {
  const image = textField(bundle, 'image') ?? '';
  if (image === '') throw invalidTemplate('a bundle has no image');
  const further = ['name', 'package', 'properties', 'relatedImages'].filter(
    (name) => field(bundle, name) !== undefined,
  );
  if (further.length === 0) return image;
  throw invalidTemplate(
    `the bundle ${image} has ${further.join(', ')}`,
    'A bundle of a basic template has only its schema and image; the rest is read from the image',
  );
}
