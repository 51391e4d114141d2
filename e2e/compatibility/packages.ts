/**
 * The packages of the corpus with their graphs: those of the archive that has a catalog, and those of the archive that has
 * bundles alone, for which a catalog is made. Called by the program and by the tests; chooses no versions (plan.ts).
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compare } from 'semver';
import { parseBundle } from '../../bundles/parse.ts';
import { buildBundleBlob, parseBundleDirectory } from '../../catalog/blob.ts';
import { readTree } from '../lib/publish.ts';
import { devSet, foundSet, sharedRows } from '../lib/shared.ts';
import { bundleFolder } from '../stories/real-operators/publish-routes.ts';
import type { CatalogDocument } from '../stories/real-operators/routes.ts';

/** The archives of the corpus, in the order of the page. */
export const SOURCES = ['dev-set', 'found-2026-11'] as const;
export type Source = (typeof SOURCES)[number];

export interface CorpusPackage {
  readonly source: Source;
  /** Folder with the bundles; the archive knows the package by its name. */
  readonly folder: string;
  /** Name of the folder, which need not be that of the package. */
  readonly name: string;
  /** Name of the package in its catalog. */
  readonly package: string;
  /** Of the catalog, those about this package; none if the folder has no bundle. */
  readonly documents: readonly CatalogDocument[];
  /** Whether a bundle has CRDs of v1beta1, which no API server takes since Kubernetes 1.22. */
  readonly hasOldCrds: (bundle: string) => boolean;
}

/** All packages of an archive, in the order of their folders. */
export function loadPackages(source: Source): readonly CorpusPackage[] {
  const root = join(source === 'dev-set' ? devSet() : foundSet(), 'operators');
  const catalog = source === 'dev-set' ? sharedRows<CatalogDocument>('corpus', 'dev-set-catalog.json.xz') : undefined;
  return foldersIn(root).map((name) => {
    const folder = join(root, name);
    const documents = catalog === undefined ? documentsFrom(folder) : documentsAbout(name, catalog);
    const packageName = documents[0]?.package ?? documents[0]?.name ?? name;
    return { source, folder, name, package: packageName, documents, hasOldCrds: oldCrdsIn(folder, documents) };
  });
}

function oldCrdsIn(folder: string, documents: readonly CatalogDocument[]): CorpusPackage['hasOldCrds'] {
  return (name) => {
    const document = documents.find((one) => one.schema === 'olm.bundle' && one.name === name);
    const found = document && bundleFolder(folder, { name, version: versionIn(document) });
    if (found === undefined) return false;
    return parseBundle(readTree(found)).crds.some(({ object }) => object.apiVersion.endsWith('/v1beta1'));
  };
}

/** What is in the catalog while packages of an archive are tried: these, and those of the other archive that it does not have. */
export function corpusOf(source: Source, packages: readonly CorpusPackage[]): readonly CorpusPackage[] {
  const own = packages.filter((one) => one.source === source);
  const names = new Set(own.map((one) => one.package));
  return [...own, ...packages.filter((one) => !names.has(one.package))];
}

/** Names of the folders of a folder. */
function foldersIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return entries.map(({ name }) => name).toSorted();
}

/** The documents of the package that is named as the folder, or whose images are. */
function documentsAbout(folder: string, catalog: readonly CatalogDocument[]): readonly CatalogDocument[] {
  const byImage = catalog.find(({ image }) => image?.split('/').at(-1)?.split(/[:@]/)[0] === folder)?.package;
  const known = catalog.some(({ schema, name }) => schema === 'olm.package' && name === folder);
  const wanted = known ? folder : byImage;
  return catalog.filter((one) => (one.schema === 'olm.package' ? one.name : one.package) === wanted);
}

/** One channel, in which each version replaces the one before: the archive has no graph of its own. */
function documentsFrom(folder: string): readonly CatalogDocument[] {
  const blobs = foldersIn(folder)
    .filter((version) => existsSync(join(folder, version, 'manifests')))
    .map((version) => blobOf(join(folder, version)))
    .toSorted((a, b) => compare(versionIn(a), versionIn(b)));
  const [first] = blobs;
  if (first === undefined) return [];
  const entries = blobs.map(({ name }, at) => ({ name, ...(at > 0 && { replaces: blobs[at - 1]!.name }) }));
  return [
    { schema: 'olm.package', name: first.package!, defaultChannel: CHANNEL },
    { schema: 'olm.channel', package: first.package!, name: CHANNEL, entries },
    ...blobs,
  ];
}

const CHANNEL = 'all';

function blobOf(folder: string): CatalogDocument {
  const directory = parseBundleDirectory(readTree(folder));
  return buildBundleBlob(directory, { image: 'registry.example/not-published:latest', manifests: 'excerpt' });
}

/** The version that a document about a bundle gives. */
export function versionIn({ properties = [] }: CatalogDocument): string {
  const value = properties.find(({ type }) => type === 'olm.package')?.value;
  return (value as { readonly version?: string } | undefined)?.version ?? '';
}

/** The version of one of its bundles; the name of the bundle if the catalog does not have it. */
export function versionOfBundle({ documents }: CorpusPackage, bundle: string): string {
  const document = documents.find((one) => one.schema === 'olm.bundle' && one.name === bundle);
  return document === undefined ? bundle : versionIn(document);
}
