/** Whether a bundle is the very same as another one: published again under its name it is not. Pure. */
import type { Revision } from './revision.ts';

interface BundleOfCatalog {
  readonly name: string;
  readonly image: string;
}

/** The name of a bundle, and the image that it was, or was to be, installed from. */
export type BundleAndImage = Pick<Revision['spec'], 'bundle'> & { readonly image?: string | undefined };

/** A catalog may name an image by a tag, which says nothing about its content: then the name decides. */
export function isSameBundle({ name, image }: BundleOfCatalog, known: BundleAndImage): boolean {
  const digest = /@(sha256:[a-f0-9]{64})$/.exec(image)?.[1];
  return name === known.bundle && (digest === undefined || known.image?.endsWith(digest) === true);
}

/** Whether a bundle has the name of the installed one and another content. */
export function isPublishedAgain(next: BundleOfCatalog, installed: BundleAndImage | undefined): boolean {
  return installed !== undefined && next.name === installed.bundle && !isSameBundle(next, installed);
}

/**
 * Whether two Revisions, or a failure and a Revision, are of the very same bundle, so that they differ in their configuration at
 * most. A failure that the release before has noted may lack the image.
 */
export function haveSameBundle({ bundle, image }: BundleAndImage, other: BundleAndImage): boolean {
  return image === undefined ? bundle === other.bundle : isSameBundle({ name: bundle, image }, other);
}

/**
 * The names and images of bundles that failed, which are not tried again. A failed image may be offered under another name; that
 * of the installed version works.
 */
export function failedNames(
  failed: readonly BundleAndImage[],
  installed: { readonly image: string } | undefined,
): readonly string[] {
  return failed.flatMap(({ bundle, image }) =>
    image === undefined || image === installed?.image ? [bundle] : [bundle, image],
  );
}
