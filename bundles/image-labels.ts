/** Reads from its labels whether an image is the image of a bundle or of a catalog. */
import { ReasonedError } from '../api/errors.ts';
import { BUNDLE_ANNOTATION } from './annotations.ts';

type Labels = Readonly<Record<string, string>>;

/** Label of a catalog's image that names the folder of the catalog in it. */
export const CATALOG_LABEL = 'operators.operatorframework.io.index.configs.v1';
/** Label of the image of a catalog in the old form, a database for OLM v0, which names its file. */
const DATABASE_LABEL = 'operators.operatorframework.io.index.database.v1';
/** The folder of the catalog in an image without that label. */
export const CATALOG_FOLDER = '/configs';

/** Folder of the catalog in the image with these labels. @throws ReasonedError CatalogInvalid for that of a bundle. */
export function catalogFolder(labels: Labels): string {
  if (labels[CATALOG_LABEL] === undefined && isBundle(labels)) throw notACatalog(describeImage(labels));
  return labels[CATALOG_LABEL] ?? CATALOG_FOLDER;
}

/**
 * The error for an image that offers no packages: most likely it is no catalog. `seemsToBe` is from {@link
 * describeImage}.
 */
export function notACatalog(seemsToBe: string): ReasonedError {
  return new ReasonedError({
    reason: 'CatalogInvalid',
    retry: 'never',
    message: `the catalog has no packages; ${seemsToBe}`,
    hint: seemsToBe === A_DATABASE ? HINT_DATABASE : HINT_NOT_CATALOG,
  });
}

const HINT_NOT_CATALOG =
  'Name the image of a catalog, or make one of bundles with "slipway catalog build" and "slipway catalog push"';
const A_DATABASE =
  'by its labels the image is a catalog in a SQLite database, and only file-based catalogs can be read';
const HINT_DATABASE =
  'Write its content as a file-based catalog with "opm migrate IMAGE FOLDER", and push the folder with "slipway catalog push"';

/** Refuses, as a bundle, an image whose labels say that it is a catalog. @throws ReasonedError BundleInvalid */
export function refuseCatalogImage(labels: Labels): void {
  const isCatalog = labels[CATALOG_LABEL] !== undefined || labels[DATABASE_LABEL] !== undefined;
  if (!isCatalog || isBundle(labels)) return;
  throw new ReasonedError({
    reason: 'BundleInvalid',
    retry: 'never',
    message: `the image is no bundle; ${describeImage(labels)}`,
    hint: 'Name the image of a bundle; "slipway catalog list" shows which ones the catalog has',
  });
}

/** Continues a sentence: `by its labels the image is a bundle of the package gadget`. */
export function describeImage(labels: Labels): string {
  if (isBundle(labels)) {
    const name = labels[BUNDLE_ANNOTATION.package];
    return `by its labels the image is a bundle${name === undefined ? '' : ` of the package ${name.slice(0, 253)}`}`;
  }
  const folder = labels[CATALOG_LABEL];
  if (folder !== undefined) return `by its labels the image is a catalog in ${folder.slice(0, 253)}`;
  if (labels[DATABASE_LABEL] !== undefined) return A_DATABASE;
  return `the image has no label ${CATALOG_LABEL}, and no catalog in ${CATALOG_FOLDER}`;
}

function isBundle(labels: Labels): boolean {
  return [BUNDLE_ANNOTATION.package, BUNDLE_ANNOTATION.mediatype, BUNDLE_ANNOTATION.manifests].some((label) =>
    Object.hasOwn(labels, label),
  );
}
