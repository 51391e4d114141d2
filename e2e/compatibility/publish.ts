/** Publishes the bundles that trials can come past, and one catalog with all packages of an archive whole. */
import { NEVER } from '../../api/testing/never.ts';
import { createSlots, inSlots } from '../../apply/slots.ts';
import { publishBundle, publishCatalog } from '../lib/publish.ts';
import { bundleFolder, relocate } from '../stories/real-operators/publish-routes.ts';
import type { CatalogDocument } from '../stories/real-operators/routes.ts';
import { versionIn, type CorpusPackage } from './packages.ts';
import { requiredPackages } from './needs.ts';
import type { Trial } from './plan.ts';

const AT_ONCE = 4;

/** Pushes everything to the registry at `host:port`; returns the reference of the catalog. */
export async function publishPackages(
  packages: readonly CorpusPackage[],
  trials: readonly Trial[],
  registry: string,
): Promise<string> {
  const slots = createSlots(AT_ONCE);
  const required = new Set(trials.flatMap(({ of }) => requiredPackages(of, packages)));
  const documents = packages.map(async (one) => {
    const wanted = required.has(one.package) ? () => true : isPassed(trials.filter(({ of }) => of === one));
    const bundles = one.documents.filter((document) => document.schema === 'olm.bundle' && wanted(document.name));
    const pushed = await inSlots({ signal: NEVER, slots }, bundles, (bundle) => publish(one, bundle, registry));
    const images = new Map(pushed.flatMap((image) => (image === undefined ? [] : [image])));
    return one.documents.map((document) => relocate(document, images, registry));
  });
  const reference = `${registry}/corpus:latest`;
  await publishCatalog((await Promise.all(documents)).flat(), reference);
  return reference;
}

/** Nothing if the archive has no content for it. */
async function publish(
  { folder, name }: CorpusPackage,
  bundle: CatalogDocument,
  registry: string,
): Promise<readonly [string, string] | undefined> {
  const version = versionIn(bundle);
  const found = bundleFolder(folder, { name: bundle.name, version });
  if (found === undefined) return undefined;
  return [bundle.name, await publishBundle(found, `${registry}/${name}:${version.replaceAll('+', '_')}`)];
}

/** Whether a bundle is one to begin with, or edges lead to it from there. */
function isPassed(trials: readonly Trial[]): (bundle: string) => boolean {
  const passed = new Set(trials.flatMap(bundlesFrom));
  return (bundle) => passed.has(bundle);
}

function bundlesFrom({ of, from, head, leads }: Trial): readonly string[] {
  const names = of.documents.filter(({ schema }) => schema === 'olm.bundle').map(({ name }) => name);
  const found = new Set([from.name]);
  for (const one of found) for (const name of names) if (leads(one, name)) found.add(name);
  return [...found, head.name];
}
