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
  const { package: packageName, version, catalog } = fieldsOf(wanted['spec']);
  const [named, asked] = [textOf(packageName), textOf(version)];
  try {
    for (const name of catalog === undefined ? sources.catalogs : [textOf(catalog)]) {
      const found = bundleOf(await sources.documents(name, named), asked);
      if (found !== undefined) return { kind: 'known', bundle: await sources.pull(textOf(found['image'])) };
    }
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    return { kind: 'unknown', why: error.describe() };
  }
  const where = catalog === undefined ? 'no Catalog' : `Catalog ${textOf(catalog)} does not`;
  return {
    kind: 'absent',
    why: `${where} ${catalog === undefined ? 'has' : 'have'} version ${asked} of package ${named}`,
  };
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
