/** Reads every bundle of the reference data, and finds those that are the heads of channels. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseBundle, type Bundle } from '../../../bundles/parse.ts';
import { readBundleFolder } from '../../../bundles/testing/folder.ts';
import { devSet, sharedRows } from '../../lib/shared.ts';
import type { CatalogDocument } from '../real-operators/routes.ts';

export interface PublishedBundle {
  /** `package/version` as published; these names need not be those in the bundle. */
  readonly folder: string;
  readonly bundle: Bundle;
}

/** All bundles, in the order of their folders. */
export function loadBundles(): readonly PublishedBundle[] {
  const root = join(devSet(), 'operators');
  return foldersIn(root).flatMap((name) =>
    foldersIn(join(root, name)).flatMap((version) => {
      const files = readBundleFolder(join(root, name, version));
      return files.size === 0 ? [] : [{ folder: `${name}/${version}`, bundle: parseBundle(files) }];
    }),
  );
}

function foldersIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return entries.map(({ name }) => name).toSorted();
}

/** The documents of the reference data's catalog. */
export function loadCatalog(): readonly CatalogDocument[] {
  return sharedRows<CatalogDocument>('corpus', 'dev-set-catalog.json.xz');
}

/** The bundles that no entry of their channel replaces or skips, each once. Throws if one is not published. */
export function pickHeads(
  documents: readonly CatalogDocument[],
  published: readonly PublishedBundle[],
): readonly PublishedBundle[] {
  const heads = new Set(
    documents.flatMap(({ package: name = '', entries = [] }) => {
      const passed = new Set(entries.flatMap(({ replaces, skips = [] }) => [replaces, ...skips]));
      return entries.filter((entry) => !passed.has(entry.name)).map((entry) => `${name}/${entry.name}`);
    }),
  );
  return [...heads].map((head) => {
    const found = published.findLast(({ bundle }) => `${bundle.package}/${bundle.csv.name}` === head);
    if (found === undefined) throw new Error(`${head} is the head of a channel and has no bundle`);
    return found;
  });
}
