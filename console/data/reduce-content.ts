/** Reduces documents of a catalog to the content that views need, within bounds; hostile content is left out. Pure. */
import { headsOf, versionOf } from '../../report/offers.ts';
import { compareText } from '../../api/compare-text.ts';
import { fieldsOf, isRecord, listOf, textOf, type Fields } from '../../api/untyped.ts';
import type { CatalogBundle, CatalogPackage, Channel, Deprecation } from '../../catalog/model.ts';
import { parseKeys, parseMeaning } from '../../catalog/parse.ts';
import { upgradeGraph } from '../../resolver/graph.ts';
import { bundleAbout } from './bundle-about.ts';
import type { BundleAbout, CatalogListing, ListedPackage, PackageContent } from './content.ts';
import { beginningOf } from '../../apply/short-text.ts';

/** Bounds: a catalog has as many of each as it likes. */
export const CONTENT_LIMITS = { packages: 5000, channels: 500, bundles: 5000, description: 500 } as const;

/** The packages of one Catalog, by name. Never throws. */
export function reduceListing(documents: readonly Fields[]): CatalogListing {
  const named = documents.filter(({ schema }) => schema === 'olm.package');
  const channels = Map.groupBy(
    documents.filter(({ schema }) => schema === 'olm.channel'),
    (one) => textOf(one['package']),
  );
  const deprecations = new Map(
    documents
      .filter(({ schema }) => schema === 'olm.deprecations')
      .map((one) => [textOf(one['package']), deprecationOf(one)] as const),
  );
  const packages = named
    .filter(({ name }) => textOf(name) !== '')
    .map((one) => listedPackage(one, channels.get(textOf(one['name'])) ?? [], deprecations.get(textOf(one['name']))))
    .toSorted((one, other) => compareText(one.name, other.name));
  return {
    packages: packages.slice(0, CONTENT_LIMITS.packages),
    omitted: Math.max(0, packages.length - CONTENT_LIMITS.packages),
  };
}

function listedPackage(one: Fields, channels: readonly Fields[], deprecation: string | undefined): ListedPackage {
  const defaultChannel = textOf(one['defaultChannel']);
  return {
    name: textOf(one['name']),
    defaultChannel,
    channels: channels
      .map((channel) => textOf(channel['name']))
      .slice(0, CONTENT_LIMITS.channels)
      .sort(),
    heads: channels.filter(({ name }) => name === defaultChannel).flatMap(headsOf).slice(0, 3), // prettier-ignore
    description: beginningOf(textOf(one['description']), CONTENT_LIMITS.description),
    hasIcon: iconOf(one) !== undefined,
    ...(deprecation !== undefined && { deprecation }),
  };
}

/** The message about the package itself. */
function deprecationOf(document: Fields): string | undefined {
  const entry = listOf(document['entries']).find(({ reference }) => fieldsOf(reference)['schema'] === 'olm.package');
  return entry === undefined ? undefined : textOf(entry['message']);
}

/** The listing with the facts that documents of heads state for people. */
export function withAbout(listing: CatalogListing, documents: readonly Fields[]): CatalogListing {
  const found = new Map(
    documents.flatMap((one) => (one['schema'] === 'olm.bundle' ? [[textOf(one['package']), one] as const] : [])),
  );
  return {
    ...listing,
    packages: listing.packages.map((one) => {
      const document = found.get(one.name);
      if (document === undefined) return one;
      const { title, provider, categories = [] } = bundleAbout(document) ?? {};
      const version = versionOf(document);
      return {
        ...one,
        about: {
          categories,
          ...(title !== undefined && { title }),
          ...(provider !== undefined && { provider }),
          ...(version !== '' && { version }),
        },
      };
    }),
  };
}

/** One package; undefined if the documents do not have it. Never throws. */
export function reducePackage(name: string, documents: readonly Fields[]): PackageContent | undefined {
  const parsed = documents.flatMap((document) => parseLeniently(document));
  const own = parsed.find(({ keys, meaning }) => meaning.kind === 'package' && keys.name === name);
  if (own === undefined || own.meaning.kind !== 'package') return undefined;
  const { description, defaultChannel } = own.meaning;
  const mine = parsed.filter(({ keys }) => keys.package === name);
  const content: CatalogPackage = {
    name,
    defaultChannel,
    ...(description !== undefined && { description }),
    channels: mine.flatMap(({ meaning }): readonly Channel[] => (meaning.kind === 'channel' ? [meaning.channel] : [])).slice(0, CONTENT_LIMITS.channels), // prettier-ignore
    bundles: mine.flatMap(({ meaning }): readonly CatalogBundle[] => (meaning.kind === 'bundle' ? [meaning.bundle] : [])).slice(0, CONTENT_LIMITS.bundles), // prettier-ignore
    deprecations: mine.flatMap(({ meaning }): readonly Deprecation[] => (meaning.kind === 'deprecations' ? meaning.deprecations : [])), // prettier-ignore
  };
  return { content, hasIcon: iconOf(own.document) !== undefined, about: aboutHeads(content, mine) };
}

interface ParsedDocument {
  readonly keys: ReturnType<typeof parseKeys>;
  readonly meaning: ReturnType<typeof parseMeaning>;
  readonly document: Fields;
}

/** A document that cannot be read is left out: the manager serves it as it was published. */
function parseLeniently(document: Fields): readonly ParsedDocument[] {
  try {
    const keys = parseKeys(document, { path: '' });
    return [{ keys, meaning: parseMeaning(keys, document), document }];
  } catch {
    return [];
  }
}

/** Of the heads of channels alone: those are the versions that people choose between. */
function aboutHeads(content: CatalogPackage, parsed: readonly ParsedDocument[]): ReadonlyMap<string, BundleAbout> {
  const heads = new Set([...upgradeGraph(content).channels.values()].flatMap(({ head }) => head?.name ?? []));
  return new Map(
    parsed.flatMap(({ keys, meaning, document }) => {
      if (meaning.kind !== 'bundle' || !heads.has(keys.name)) return [];
      const about = bundleAbout(document);
      return about === undefined ? [] : [[keys.name, about] as const];
    }),
  );
}

/** An icon whose type browsers draw as an image. */
export interface CatalogIcon {
  readonly mediaType: string;
  readonly base64: string;
}

const ICON_TYPES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/svg+xml',
]);
/** In base64, of 512 KiB: larger ones are no icons. */
const MOST_ICON = Math.ceil((512 << 10) / 3) * 4;

/** The icon in the document of a package; undefined if it has none of a permitted type and size. */
export function iconOf(document: Fields): CatalogIcon | undefined {
  const icon = isRecord(document['icon']) ? document['icon'] : {};
  const [mediaType, base64] = [textOf(icon['mediatype']).toLowerCase(), textOf(icon['base64data'])];
  const isUsable = ICON_TYPES.has(mediaType) && base64.length <= MOST_ICON && /^[A-Za-z0-9+/=\s]+$/.test(base64);
  return isUsable ? { mediaType, base64 } : undefined;
}
