/**
 * Bundles that failed and that a catalog names by a tag: their author may move the tag to a content that works. The decision is
 * made about catalogs that name the content by digest, so it is that of a bundle that was published again. Pure.
 */
import { haveSameBundle, type BundleAndImage } from '../../api/same-bundle.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { CatalogBundle, CatalogPackage } from '../../catalog/model.ts';
import { formatReference, withDigest } from '../../oci/reference.ts';
import { graphIn } from '../../resolver/catalogs.ts';
import type { CatalogSource } from '../../resolver/input.ts';
import { readOnce } from '../../resolver/resolve.ts';
import { isNewer } from '../../resolver/version.ts';
import { configHash } from '../config-hash.ts';
import type { Target } from './action.ts';
import { failedOf } from './failure.ts';
import { readReference } from './images.ts';
import type { SubscriptionFacts } from './observe.ts';
import { standingOf } from './standing.ts';

/** A bundle that failed, as a catalog offers it. */
export interface FailedTag {
  readonly target: Pick<Target, 'bundle' | 'catalog'>;
  /** The digest of the content that was tried last. */
  readonly tried: string;
}

/** The digest that a registry has last given for an image by tag; undefined if it was not asked. */
export type CurrentDigest = (image: string) => string | undefined;

/** Most bundles whose tags are checked: the last ones that failed. */
const MOST_NAMES = 10;

/** The bundles that failed and that catalogs of the Subscription name by a tag. */
export function failedTags(facts: SubscriptionFacts): readonly FailedTag[] {
  const names = failedNow(facts);
  if (names.size === 0) return [];
  const { subscription, catalogs } = facts;
  return catalogs
    .filter(({ selected }) => selected !== false)
    .flatMap((source) =>
      [...(graphIn(source, subscription.spec.package)?.bundles.values() ?? [])].flatMap(({ bundle }) => {
        const tried = names.has(bundle.name) && isByTag(bundle) ? triedLast(bundle, facts) : undefined;
        return tried === undefined ? [] : [{ target: { bundle, catalog: source.name }, tried }];
      }),
    );
}

/** The names of the bundles that may be tried again with another content: a version that works is exchanged for none. */
function failedNow(facts: SubscriptionFacts): ReadonlySet<string> {
  const { installed } = standingOf(facts);
  const given = (facts.subscription.status?.quarantined ?? []).filter(
    ({ bundle, version }) =>
      installed === undefined || (bundle !== installed.spec.bundle && isNewer(version, installed.spec.version)),
  );
  const failed = failedOf(facts, facts.now);
  const isAtFault =
    failed !== undefined &&
    (installed === undefined || failed === installed || !haveSameBundle(failed.spec, installed.spec));
  const names = [...given.map(({ bundle }) => bundle), ...(isAtFault ? [failed.spec.bundle] : [])];
  return new Set(names.slice(-MOST_NAMES));
}

function isByTag({ image }: CatalogBundle): boolean {
  const reference = readReference(image);
  return reference !== undefined && reference.digest === undefined;
}

/**
 * Of its last Revision; if history needs that no longer, of the record of its failure. Undefined after a change of the
 * configuration: then the tag is pulled anyway.
 */
function triedLast({ name }: CatalogBundle, { subscription, revisions }: History): string | undefined {
  const last = revisions.findLast(({ spec }) => spec.bundle === name)?.spec;
  if (last !== undefined && last.configHash !== configHash(subscription)) return undefined;
  const known = last ?? subscription.status?.quarantined?.findLast(({ bundle }) => bundle === name);
  return known?.image === undefined ? undefined : readReference(known.image)?.digest;
}

/** The facts with the contents that the tags name now, as far as is known; else with those that were tried last. */
export function withCurrentContent(
  facts: SubscriptionFacts,
  tags: readonly FailedTag[],
  current: CurrentDigest,
): SubscriptionFacts {
  if (tags.length === 0) return facts;
  const images = new Map(
    tags.map(({ target: { bundle }, tried }) => {
      const digest = current(bundle.image);
      const counts = digest !== undefined && !isSpent({ bundle: bundle.name, digest }, facts);
      return [offeredAs(bundle), imageBy(bundle.image, counts ? digest : tried)] as const;
    }),
  );
  const catalogs = facts.catalogs.map((source) =>
    tags.some(({ target }) => target.catalog === source.name)
      ? byDigest(source, facts.subscription.spec.package, images)
      : source,
  );
  return { ...facts, catalogs };
}

interface FailedContent {
  readonly bundle: string;
  readonly digest: string;
}

type History = Pick<SubscriptionFacts, 'subscription' | 'revisions'>;

/** Whether a content has failed before, in the configuration that the spec requests. */
export function hasFailed(content: FailedContent, { subscription, revisions }: History): boolean {
  const hash = configHash(subscription);
  return (
    isQuarantined(content, subscription) ||
    revisions.some(
      ({ spec, status }) => isOf(spec, content) && spec.configHash === hash && status?.failure !== undefined,
    )
  );
}

/**
 * Whether a tag was moved back to a content that failed. The resolver knows of one that is quarantined, which a person may have
 * tried again.
 */
function isSpent(content: FailedContent, history: History): boolean {
  return !isQuarantined(content, history.subscription) && hasFailed(content, history);
}

function isQuarantined(content: FailedContent, { status }: Pick<Subscription, 'status'>): boolean {
  return (status?.quarantined ?? []).some((one) => isOf(one, content));
}

function isOf(one: BundleAndImage, { bundle, digest }: FailedContent): boolean {
  return one.bundle === bundle && one.image?.endsWith(`@${digest}`) === true;
}

function imageBy(image: string, digest: string): string {
  const reference = readReference(image);
  return reference === undefined ? image : formatReference(withDigest(reference, digest));
}

function offeredAs({ name, image }: Pick<CatalogBundle, 'name' | 'image'>): string {
  return `${name} ${image}`;
}

/** The catalog with the images by digest in one of its packages, which is made once. */
function byDigest(source: CatalogSource, name: string, images: ReadonlyMap<string, string>): CatalogSource {
  const renamed = readOnce({ ...source, content: (asked) => rename(source.content(asked), images) });
  return { ...source, content: (asked) => (asked === name ? renamed : source).content(asked) };
}

function rename(content: CatalogPackage | undefined, images: ReadonlyMap<string, string>): CatalogPackage | undefined {
  if (content === undefined) return undefined;
  return {
    ...content,
    bundles: content.bundles.map((one) => ({ ...one, image: images.get(offeredAs(one)) ?? one.image })),
  };
}
