/** The packages of the dev set's catalog, for tests that ask about all of them. */
import type { CatalogPackage, Deprecation, Property } from '../../catalog/model.ts';
import { sharedRows } from '../../e2e/lib/shared.ts';

interface Document {
  readonly schema: string;
  readonly name: string;
  readonly package: string;
  readonly defaultChannel?: string;
  readonly image?: string;
  readonly properties?: readonly Property[];
  readonly entries?: readonly {
    readonly name: string;
    readonly replaces?: string;
    readonly skips?: readonly string[];
    readonly skipRange?: string;
    readonly message?: string;
    readonly reference?: { readonly schema: Deprecation['schema']; readonly name?: string };
  }[];
}

const BULKY = new Set(['olm.bundle.object', 'olm.csv.metadata']);

/** Every package of the dev set, by name. Needs the reference data. */
export function readDevSet(): ReadonlyMap<string, CatalogPackage> {
  const documents = sharedRows<Document>('corpus', 'dev-set-catalog.json.xz');
  const packages = documents.filter(({ schema }) => schema === 'olm.package');
  return new Map(
    packages.map((one) => [
      one.name,
      readPackage(
        one,
        documents.filter((other) => other.package === one.name),
      ),
    ]),
  );
}

function readPackage({ name, defaultChannel = '' }: Document, documents: readonly Document[]): CatalogPackage {
  const of = (schema: string): readonly Document[] => documents.filter((one) => one.schema === schema);
  return {
    name,
    defaultChannel,
    channels: of('olm.channel').map((channel) => ({
      name: channel.name,
      entries: (channel.entries ?? []).map((entry) => Object.assign({ skips: [] }, entry)),
    })),
    bundles: of('olm.bundle').map(({ name: bundle, image = '', properties = [] }) => ({
      name: bundle,
      package: name,
      version: versionOf(properties),
      image,
      properties: properties.filter(({ type }) => !BULKY.has(type)),
      relatedImages: [],
    })),
    deprecations: of('olm.deprecations').flatMap(({ entries = [] }) =>
      entries.flatMap(({ message = '', reference }) => (reference === undefined ? [] : [{ ...reference, message }])),
    ),
  };
}

function versionOf(properties: readonly Property[]): string {
  const value = properties.find(({ type }) => type === 'olm.package')?.value as
    | { readonly version: string }
    | undefined;
  return value?.version ?? '';
}
