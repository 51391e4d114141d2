/**
 * Which images are pulled for a Subscription, and with which credentials. A Revision may have been written by hand, so
 * its image is pulled only if its Catalog offers it, or if the manager itself has recorded it. Pure.
 */
import { ReasonedError } from '../../api/errors.ts';
import type { Subscription } from '../../api/subscription.ts';
import { formatReference, parseReference, withDigest, type Reference } from '../../oci/reference.ts';
import { graphIn, openSource } from '../../resolver/catalogs.ts';
import type { CatalogSource } from '../../resolver/input.ts';
import type { Target } from './action.ts';
import type { SubscriptionFacts } from './observe.ts';

/** The credentials for pulling an image. */
export interface Pull {
  /** Name of the Catalog whose pull secret is used; without it, the pull is anonymous. */
  readonly secretOf?: string;
}

/**
 * How the image of a target is pulled. Throws CatalogNotAllowed if its Catalog may not be used in the namespace, and
 * RevisionInvalid if no Catalog has offered the image; neither is retried. Throws CatalogUnavailable (retried) if the Catalog
 * cannot be read at the moment, as while other content takes its place.
 */
export function planPull({ subscription, catalogs }: SubscriptionFacts, { bundle, catalog }: Target): Pull {
  const source = catalogs.find(({ name }) => name === catalog);
  if (source?.state === 'NotAllowed') throw notAllowed(source);
  const image = readReference(bundle.image);
  const offered = source === undefined ? [] : imagesOf(source, bundle.package);
  if (image !== undefined && offered.some((one) => isSameImage(one, image))) return { secretOf: catalog };
  if (image === undefined || !isRecorded(subscription, { catalog, image: bundle.image }))
    throw isUnread(source, bundle.package)
      ? unread(bundle.image, catalog)
      : unknown(subscription, { catalog, image: bundle.image });
  // A pull secret also opens repositories that have nothing to do with the package.
  const isNear = source?.state === 'Unavailable' || offered.some((one) => isSameRepository(one, image));
  return isNear ? { secretOf: catalog } : {};
}

/** Whether the image of a target may be pulled, now or later. */
export function mayPull(facts: SubscriptionFacts, target: Target): boolean {
  try {
    planPull(facts, target);
    return true;
  } catch (error) {
    if (error instanceof ReasonedError) return error.retry !== 'never';
    throw error;
  }
}

/** The image of a target, by the digest that was pulled before. */
export function imageByDigest({ bundle }: Target, before: string): string {
  const { digest } = parseReference(before);
  const offered = parseReference(bundle.image);
  return digest === undefined ? bundle.image : formatReference(withDigest(offered, digest));
}

function imagesOf(source: CatalogSource, name: string): readonly Reference[] {
  const graph = graphIn(source, name);
  return [...(graph?.bundles.values() ?? [])].flatMap(({ bundle }) => readReference(bundle.image) ?? []);
}

function isUnread(source: CatalogSource | undefined, name: string): boolean {
  return source?.state === 'Serving' && 'content' in openSource(source, name);
}

/** An image reference; undefined if it is malformed. */
export function readReference(text: string): Reference | undefined {
  try {
    return parseReference(text);
  } catch (error) {
    if (error instanceof ReasonedError) return undefined;
    throw error;
  }
}

/** Compares digests; if the Catalog offers the image by tag, compares tags. */
function isSameImage(offered: Reference, image: Reference): boolean {
  if (!isSameRepository(offered, image)) return false;
  return offered.digest === undefined ? offered.tag === image.tag : offered.digest === image.digest;
}

function isSameRepository(a: Reference, b: Reference): boolean {
  return a.registry === b.registry && a.repository === b.repository;
}

interface NamedImage {
  readonly catalog: string;
  readonly image: string;
}

/** Only the manager writes the status. */
function isRecorded({ status }: Subscription, { catalog, image }: NamedImage): boolean {
  return status?.installed?.image === image && status.installed.catalog === catalog;
}

function notAllowed({ name, message }: CatalogSource): ReasonedError {
  return new ReasonedError({
    reason: 'CatalogNotAllowed',
    retry: 'never',
    message: `nothing is pulled from Catalog ${name}, which may not be used in the namespace: ${message}`,
  });
}

function unread(image: string, catalog: string): ReasonedError {
  return new ReasonedError({
    reason: 'CatalogUnavailable',
    retry: 'backoff',
    message: `${image} is not pulled yet: Catalog ${catalog}, which has to offer it, cannot be read at the moment`,
  });
}

function unknown({ spec }: Subscription, { catalog, image }: NamedImage): ReasonedError {
  return new ReasonedError({
    reason: 'RevisionInvalid',
    retry: 'never',
    message: `${image} is not pulled: Catalog ${catalog} does not offer it for the package ${spec.package}, and it was never recorded as installed`,
    hint: 'Delete the Revision that names it, unless the manager made it',
  });
}
