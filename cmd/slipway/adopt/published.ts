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
import { parseVersion } from '../../../resolver/version.ts';
import { readDocuments } from '../admin/offers/content.ts';
import { servedKind } from '../admin/objects.ts';
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
  /** The bundle in an image; throws ReasonedError. */
  readonly pull: (image: string) => Promise<Bundle>;
}

/** @param wanted Slipway's Subscription, pinned to the version. Throws errors without a reason. */
export async function findPublished(wanted: KubeObject, sources: PublishedSources): Promise<PublishedBundle> {
  try {
    const found = await findDocument(wanted, sources);
    if (found === undefined) return { kind: 'absent', why: absenceOf(wanted) };
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
export async function findPublishedName(
  wanted: KubeObject,
  sources: Pick<PublishedSources, 'catalogs' | 'documents'>,
): Promise<string | undefined> {
  const found = await findDocument(wanted, sources);
  return found && textOf(found['name']);
}

async function findDocument(
  { spec }: KubeObject,
  { catalogs, documents }: Pick<PublishedSources, 'catalogs' | 'documents'>,
): Promise<Fields | undefined> {
  const { package: packageName, version, catalog } = fieldsOf(spec);
  for (const name of catalog === undefined ? catalogs : [textOf(catalog)]) {
    const found = bundleOf(await documents(name, textOf(packageName)), textOf(version));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The sentence for a version that no Catalog has which may be used. */
export function absenceOf({ spec }: KubeObject): string {
  const { package: packageName, version, catalog } = fieldsOf(spec);
  const of = `version ${textOf(version)} of package ${textOf(packageName)}`;
  return catalog === undefined ? `no Catalog has ${of}` : `Catalog ${textOf(catalog)} does not have ${of}`;
}

/** By the range to which the Subscription is pinned: a catalog may have more in its version than OLM's ClusterServiceVersion. */
function bundleOf(documents: readonly Fields[], asked: string): Fields | undefined {
  const range = parseMastermindsRange(asked);
  const isAsked = (one: Fields): boolean => {
    const version = parseVersion(versionOf(one));
    return range.ok && version.ok && range.value.includes(version.value);
  };
  return documents.find((one) => versionOf(one) === asked) ?? documents.find(isAsked);
}

function versionOf({ properties }: Fields): string {
  const own = listOf(properties).find(({ type }) => type === 'olm.package');
  return textOf(fieldsOf(own?.['value'])['version']);
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
  const catalogs = await connection.client.list(servedKind(CATALOG), {}, signal);
  return {
    catalogs: catalogs.toSorted((a, b) => priorityOf(b) - priorityOf(a)).map(({ metadata }) => metadata.name),
    documents: (catalog, packageName) =>
      readDocuments(connection, catalog, { schema: 'olm.bundle', package: packageName }, { flags, signal }),
    pull: async (image) => parseBundle((await readBundle(environment, image, flags)).files),
  };
}
