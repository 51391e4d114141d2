/** The packages and versions that Catalogs offer, from their documents. Pure. */
import { compareText } from '../api/compare-text.ts';
import type { Subscription } from '../api/subscription.ts';
import { fieldsOf, itemsOf, listOf, textOf, type Fields } from '../api/untyped.ts';
import { compareBundleVersions, parseBundleVersion } from '../resolver/version.ts';

/** The documents of one Catalog. */
export interface OfferedVersion {
  readonly catalog: string;
  readonly packages: readonly Fields[];
  readonly channels: readonly Fields[];
  readonly bundles: readonly Fields[];
}

export interface OfferedPackageRow {
  readonly catalog: string;
  readonly name: string;
  readonly defaultChannel: string;
  readonly channels: readonly string[];
  /** Bundles of the default channel that no other one replaces. */
  readonly heads: readonly string[];
  readonly description: string;
  /** `NAMESPACE/NAME VERSION` of each Subscription. */
  readonly installed: readonly string[];
}

/** The packages of all Catalogs by name; with a term only those that have it in their name or description. */
export function packageRows(
  offers: readonly OfferedVersion[],
  subscriptions: readonly Subscription[],
  term = '',
): readonly OfferedPackageRow[] {
  const wanted = term.toLowerCase();
  return offers
    .flatMap((offer) => offer.packages.map((one) => packageRow(offer, one, subscriptions)))
    .filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(wanted))
    .toSorted((one, other) => compareText(`${one.name}\n${one.catalog}`, `${other.name}\n${other.catalog}`));
}

function packageRow(offer: OfferedVersion, one: Fields, subscriptions: readonly Subscription[]): OfferedPackageRow {
  const name = textOf(one['name']);
  const defaultChannel = textOf(one['defaultChannel']);
  const channels = offer.channels.filter((channel) => channel['package'] === name);
  return {
    catalog: offer.catalog,
    name,
    defaultChannel,
    channels: channels.map((channel) => textOf(channel['name'])).sort(),
    heads: channels.filter((channel) => channel['name'] === defaultChannel).flatMap(headsOf),
    description: textOf(one['description']).replaceAll(/\s+/g, ' ').trim(),
    installed: subscriptions.filter(({ spec }) => spec.package === name).map(describeInstalled),
  };
}

/** The entries that no other one replaces or skips. */
export function headsOf(channel: Fields): readonly string[] {
  const entries = listOf(channel['entries']);
  const passed = new Set(entries.flatMap(({ replaces, skips }) => [replaces, ...itemsOf(skips)]));
  return entries.map(({ name }) => textOf(name)).filter((name) => !passed.has(name));
}

function describeInstalled({ metadata, status }: Subscription): string {
  return `${metadata.namespace}/${metadata.name} ${status?.installed?.version ?? '(none)'}`;
}

export interface VersionRow {
  readonly catalog: string;
  readonly version: string;
  readonly bundle: string;
  readonly channels: readonly string[];
  readonly installed: readonly string[];
}

/** The versions of one package, the highest first. */
export function versionRows(
  offers: readonly OfferedVersion[],
  subscriptions: readonly Subscription[],
  packageName: string,
): readonly VersionRow[] {
  const rows = offers.flatMap(({ catalog, channels, bundles }) =>
    bundles.map((bundle) => {
      const name = textOf(bundle['name']);
      const isIn = (channel: Fields): boolean => listOf(channel['entries']).some((entry) => entry['name'] === name);
      const users = subscriptions.filter(
        ({ spec, status }) => spec.package === packageName && status?.installed?.bundle === name,
      );
      return {
        catalog,
        version: versionOf(bundle),
        bundle: name,
        channels: channels.filter(isIn).map((channel) => textOf(channel['name'])).sort(), // prettier-ignore
        installed: users.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
      };
    }),
  );
  return rows.toSorted((one, other) => compareVersions(other.version, one.version));
}

/** The version that a document of a bundle states; empty if it states none. */
export function versionOf(bundle: Fields): string {
  const property = listOf(bundle['properties']).find(({ type }) => type === 'olm.package');
  return textOf(fieldsOf(property?.['value'])['version']);
}

/** Versions that cannot be parsed come last. */
function compareVersions(one: string, other: string): number {
  const [a, b] = [parseBundleVersion(one), parseBundleVersion(other)];
  if (a.ok && b.ok) return compareBundleVersions(a.value, b.value);
  return Number(a.ok) - Number(b.ok) || compareText(one, other);
}
