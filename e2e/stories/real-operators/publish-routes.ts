/**
 * Publishes the bundles on a route, and one catalog with all packages complete: bundles off the route have no image.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseBundle } from '../../../bundles/parse.ts';
import { publishBundle, publishCatalog, readTree } from '../../lib/publish.ts';
import { devSet } from '../../lib/shared.ts';
import type { CatalogDocument, Route, RouteBundle } from './routes.ts';

/** Pushes everything to the registry at `host:port`; returns the reference of the catalog, which has `further` documents too. */
export async function publishRoutes(
  routes: readonly Route[],
  registry: string,
  further: readonly CatalogDocument[] = [],
): Promise<string> {
  const documents = await Promise.all(routes.map((route) => publishRoute(route, registry)));
  const reference = `${registry}/real-operators:latest`;
  await publishCatalog([...documents.flat(), ...further.map((one) => relocate(one, new Map(), registry))], reference);
  return reference;
}

async function publishRoute(route: Route, registry: string): Promise<readonly CatalogDocument[]> {
  const images = new Map<string, string>();
  for (const bundle of bundlesOn(route)) {
    const reference = `${registry}/${route.package}:${bundle.version}`;
    images.set(bundle.name, await publishBundle(folderOf(route.package, bundle), reference));
  }
  return route.documents.map((document) => relocate(document, images, registry));
}

/** The pinned bundle and every one to which edges lead from it. */
function bundlesOn({ pin, bundles, leads }: Route): readonly RouteBundle[] {
  const found = new Set([pin]);
  for (const from of found) {
    for (const to of bundles.keys()) if (leads(from, to)) found.add(to);
  }
  return [...bundles.values()].filter(({ name }) => found.has(name));
}

function folderOf(packageName: string, bundle: RouteBundle): string {
  const folder = bundleFolder(join(devSet(), 'operators', packageName), bundle);
  if (folder === undefined) throw new Error(`no bundle ${bundle.name} in ${packageName}`);
  return folder;
}

/**
 * The folder of a bundle below that of its package: it is named as its version, or another one has a ClusterServiceVersion
 * of that name. Undefined if none has.
 */
export function bundleFolder(folder: string, { name, version }: RouteBundle): string | undefined {
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const likeliestFirst = folders.map((entry) => entry.name).toSorted((a, b) => rank(b) - rank(a));
  function rank(one: string): number {
    return one === version ? 2 : Number(version.startsWith(one));
  }
  const found = likeliestFirst.find((one) => isBundle(join(folder, one), name));
  return found === undefined ? undefined : join(folder, found);
}

function isBundle(folder: string, name: string): boolean {
  const files = readTree(folder);
  const isOne = [...files.keys()].some((path) => path.startsWith('manifests/'));
  return isOne && parseBundle(files).csv.name === name;
}

/** The document of a bundle with its image as published here; a bundle that is not published names an image that is not there. */
export function relocate(
  document: CatalogDocument,
  images: ReadonlyMap<string, string>,
  registry: string,
): CatalogDocument {
  if (document.schema !== 'olm.bundle') return document;
  return { ...document, image: images.get(document.name) ?? `${registry}/nowhere@sha256:${'0'.repeat(64)}` };
}
