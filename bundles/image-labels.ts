/** Reads from its labels whether an image is the image of a bundle or of a catalog. */
import { ReasonedError } from '../api/errors.ts';
import { BUNDLE_ANNOTATION } from './annotations.ts';

type Labels = Readonly<Record<string, string>>;

/** Label of a catalog's image that names the folder of the catalog in it. */
export const CATALOG_LABEL = 'operators.operatorframework.io.index.configs.v1';
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
    hint: 'Name the image of a catalog, or make one of bundles with "slipway catalog build" and "slipway catalog push"',
  });
}

/** Refuses, as a bundle, an image whose labels say that it is a catalog. @throws ReasonedError BundleInvalid */
export function refuseCatalogImage(labels: Labels): void {
  if (labels[CATALOG_LABEL] === undefined || isBundle(labels)) return;
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
  return `the image has no label ${CATALOG_LABEL}, and no catalog in ${CATALOG_FOLDER}`;
}

function isBundle(labels: Labels): boolean {
  return [BUNDLE_ANNOTATION.package, BUNDLE_ANNOTATION.mediatype, BUNDLE_ANNOTATION.manifests].some((label) =>
    Object.hasOwn(labels, label),
  );
}
