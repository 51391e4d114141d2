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

/** `package/version` of all folders of bundles, in order. */
export function bundleNames(): readonly string[] {
  const root = join(devSet(), 'operators');
  return foldersIn(root).flatMap((name) => foldersIn(join(root, name)).map((version) => `${name}/${version}`));
}

/** The bundle of that folder; none if the folder has no files. */
export function loadBundle(folder: string): readonly PublishedBundle[] {
  const files = readBundleFolder(join(devSet(), 'operators', folder));
  return files.size === 0 ? [] : [{ folder, bundle: parseBundle(files) }];
}

function foldersIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return entries.map(({ name }) => name).toSorted();
}

/** The documents of the reference data's catalog. */
export function loadCatalog(): readonly CatalogDocument[] {
  return sharedRows<CatalogDocument>('corpus', 'dev-set-catalog.json.xz');
}

/**
 * The bundles that no entry of their channel replaces or skips, each once. Throws if one is not among the `published`;
 * of `sampled` bundles those that are heads.
 */
export function pickHeads(
  documents: readonly CatalogDocument[],
  bundles: readonly PublishedBundle[],
  extent: 'published' | 'sampled',
): readonly PublishedBundle[] {
  const heads = new Set(
    documents.flatMap(({ package: name = '', entries = [] }) => {
      const passed = new Set(entries.flatMap(({ replaces, skips = [] }) => [replaces, ...skips]));
      return entries.filter((entry) => !passed.has(entry.name)).map((entry) => `${name}/${entry.name}`);
    }),
  );
  return [...heads].flatMap((head) => {
    const found = bundles.findLast(({ bundle }) => `${bundle.package}/${bundle.csv.name}` === head);
    if (found !== undefined) return [found];
    if (extent === 'published') throw new Error(`${head} is the head of a channel and has no bundle`);
    return [];
  });
}
