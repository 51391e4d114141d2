/**
 * The bundle that Slipway will install for an operator of OLM: the version as it is published, from the image that a Catalog
 * names. OLM's copy of it may have been changed by a person.
 */
import { CATALOG } from '../../../api/catalog.ts';
import { ReasonedError } from '../../../api/errors.ts';
import type { KubeObject } from '../../../api/object.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../../../api/untyped.ts';
import { parseBundle, type Bundle } from '../../../bundles/parse.ts';
import { parseMastermindsRange } from '../../../resolver/ranges/masterminds.ts';
import { compareBundleVersions, parseBundleVersion } from '../../../resolver/version.ts';
import { readDocuments } from '../admin/offers/content.ts';
import { listObjects } from '../admin/objects.ts';
import type { Environment } from '../environment.ts';
import { readBundle } from '../input/bundle.ts';
import type { Connection } from '../input/connection.ts';
import type { RegistryFlags } from '../input/registry.ts';

export type PublishedBundle =
  | { readonly kind: 'known'; readonly bundle: Bundle }
  /** No Catalog that may be used has the version, so that Slipway could not take the operator over. */
  | { readonly kind: 'absent'; readonly why: string }
  /** The Catalogs or the image cannot be read from here. */
  | { readonly kind: 'unknown'; readonly why: string };

/** Reads the documents of a Catalog about the bundles of a package; throws ReasonedError. */
export type ReadBundles = (catalog: string, packageName: string) => Promise<readonly Fields[]>;

export interface PublishedSources {
  /** Names of the Catalogs, the first one that has the version counts. */
  readonly catalogs: readonly string[];
  readonly documents: ReadBundles;
  /** Names of the bundles in a channel; absent: all channels count. Throws ReasonedError. */
  readonly entries?: (catalog: string, packageName: string, channel: string) => Promise<ReadonlySet<string>>;
  /** The bundle in an image; throws ReasonedError. */
  readonly pull: (image: string) => Promise<Bundle>;
}

/**
 * @param wanted Slipway's Subscription, pinned to the version. Throws errors without a reason.
 * @param installed Name of the bundle that OLM has installed.
 */
export async function findPublished(
  wanted: KubeObject,
  sources: PublishedSources,
  installed?: string,
): Promise<PublishedBundle> {
  try {
    const { found, others } = await findDocument(wanted, sources);
    if (found === undefined) return { kind: 'absent', why: absenceOf(wanted) };
    const pin = textOf(fieldsOf(wanted['spec'])['version']);
    if (installed !== undefined && isAnotherBuild(found, others, { pin, installed }))
      return { kind: 'absent', why: anotherBuild(textOf(found['name']), { pin, installed }) };
    return { kind: 'known', bundle: await sources.pull(textOf(found['image'])) };
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    return { kind: 'unknown', why: error.describe() };
  }
}

/**
 * Name of the bundle that Slipway will install, from the content of the Catalogs alone; undefined if none has the version.
 * Throws ReasonedError if a Catalog cannot be read.
 */
export async function findPublishedName(wanted: KubeObject, sources: ReadSources): Promise<string | undefined> {
  const { found } = await findDocument(wanted, sources);
  return found && textOf(found['name']);
}

type ReadSources = Pick<PublishedSources, 'catalogs' | 'documents' | 'entries'>;

interface Builds {
  /** The one that is installed. */
  readonly found?: Fields | undefined;
  /** The other builds of the version. */
  readonly others: readonly Fields[];
}

async function findDocument({ spec }: KubeObject, sources: ReadSources): Promise<Builds> {
  const { package: packageName, version, catalog, channel } = fieldsOf(spec);
  for (const name of catalog === undefined ? sources.catalogs : [textOf(catalog)]) {
    const builds = buildsOf(await sources.documents(name, textOf(packageName)), textOf(version));
    const [first] = builds;
    if (first === undefined) continue;
    const followed = typeof channel === 'string' && channel !== '*' && builds.length > 1 ? channel : undefined;
    const names = followed === undefined ? undefined : await sources.entries?.(name, textOf(packageName), followed);
    const found = builds.find((one) => names?.has(textOf(one['name'])) ?? true) ?? first;
    return { found, others: builds.filter((one) => one !== found) };
  }
  return { others: [] };
}

/** The sentence for a version that no Catalog has which may be used. */
export function absenceOf({ spec }: KubeObject): string {
  const { package: packageName, version, catalog } = fieldsOf(spec);
  const of = `version ${textOf(version)} of package ${textOf(packageName)}`;
  return catalog === undefined ? `no Catalog has ${of}` : `Catalog ${textOf(catalog)} does not have ${of}`;
}

/**
 * By the range to which the Subscription is pinned, the highest first, which the manager installs: a catalog may have more in
 * its version than OLM's ClusterServiceVersion, and several builds of one version.
 */
function buildsOf(documents: readonly Fields[], asked: string): readonly Fields[] {
  const range = parseMastermindsRange(asked);
  const builds = documents.flatMap((one) => {
    const version = parseBundleVersion(versionOf(one), releaseOf(one));
    if (version.ok && range.ok && range.value.includes(version.value.version)) return [{ one, version: version.value }];
    return [];
  });
  const sorted = builds.toSorted((a, b) => compareBundleVersions(b.version, a.version)).map(({ one }) => one);
  return sorted.length > 0 ? sorted : documents.filter((one) => versionOf(one) === asked);
}

interface PinnedBuild {
  readonly pin: string;
  /** Name of the bundle that OLM has installed. */
  readonly installed: string;
}

/** A catalog that was published again may have given the same version another name. */
function isAnotherBuild(found: Fields, others: readonly Fields[], { pin, installed }: PinnedBuild): boolean {
  if (textOf(found['name']) === installed) return false;
  return versionOf(found) !== pin || others.some((one) => textOf(one['name']) === installed);
}

function anotherBuild(name: string, { pin, installed }: PinnedBuild): string {
  return `OLM has installed ${installed}, and a pin to version ${pin} leads to ${name}. Upgrade to that one in OLM first, or name a Catalog without it by --catalog`;
}

function releaseOf(document: Fields): string | undefined {
  const { release } = packagePropertyOf(document);
  return typeof release === 'string' ? release : undefined;
}

function versionOf(document: Fields): string {
  return textOf(packagePropertyOf(document)['version']);
}

function packagePropertyOf({ properties }: Fields): Fields {
  const own = listOf(properties).find(({ type }) => type === 'olm.package');
  return fieldsOf(own?.['value']);
}

export interface PublishedFlags extends RegistryFlags {
  readonly systemNamespace: string;
}

/** The Catalogs of the cluster by their priority, and the registries of this machine's logins. */
export async function sourcesOf(
  environment: Environment,
  connection: Connection,
  flags: PublishedFlags,
): Promise<PublishedSources> {
  const { signal } = environment;
  const priorityOf = ({ spec }: KubeObject): number => Number(fieldsOf(spec)['priority'] ?? 0);
  const catalogs = await listObjects(connection.client, CATALOG, {}, signal);
  return {
    catalogs: catalogs.toSorted((a, b) => priorityOf(b) - priorityOf(a)).map(({ metadata }) => metadata.name),
    documents: (catalog, packageName) =>
      readDocuments(connection, catalog, { schema: 'olm.bundle', package: packageName }, { flags, signal }),
    entries: async (catalog, packageName, name) => {
      const query = { schema: 'olm.channel', package: packageName, name } as const;
      const channels = await readDocuments(connection, catalog, query, { flags, signal });
      return new Set(channels.flatMap(({ entries }) => listOf(entries).map((entry) => textOf(entry['name']))));
    },
    pull: async (image) => parseBundle((await readBundle(environment, image, flags)).files),
  };
}
