/** The common part of both kinds of templates: how they get their bundles, and how they are refused. */
import { ReasonedError } from '../../api/errors.ts';
import type { BundleBlob } from '../blob.ts';

/** A document of a catalog as it is written. */
export interface CatalogDocument {
  readonly schema: string;
  readonly [field: string]: unknown;
}

/** The entry of the bundle at an image reference; a template is expanded when all of its bundles have been read. */
export type BundlesByImage = ReadonlyMap<string, BundleBlob>;

/** The bundle of an image that the template names. Throws ReasonedError `CatalogInvalid` if it is missing. */
export function bundleAt(image: string, bundles: BundlesByImage): BundleBlob {
  const bundle = bundles.get(image);
  if (bundle === undefined) throw invalidTemplate(`the bundle image ${image} has not been read`);
  return bundle;
}

/** A ReasonedError `CatalogInvalid`, not retried. */
export function invalidTemplate(what: string, hint?: string): ReasonedError {
  return new ReasonedError({
    reason: 'CatalogInvalid',
    retry: 'never',
    message: `catalog template: ${what}`,
    ...(hint !== undefined && { hint }),
  });
}
