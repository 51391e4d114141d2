/** `slipway mirror pull`: packages with all that they need, into a folder. */
import { resolve } from 'node:path';
import { ReasonedError } from '../../../api/errors.ts';
import { parseBundle } from '../../../bundles/parse.ts';
import type { ImageSink } from '../../../oci/copy.ts';
import { BUNDLE_LIMITS, pullFiles } from '../../../oci/image.ts';
import { parseReference } from '../../../oci/reference.ts';
import type { Registry } from '../../../oci/registry.ts';
import type { ImageSource } from '../../../oci/source.ts';
import type { Environment } from '../environment.ts';
import { BUNDLE_FOLDERS } from '../input/bundle.ts';
import { readCatalogImage, type CatalogInput } from '../input/catalog.ts';
import { withIndexes } from '../input/index.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { findPlace } from '../input/place.ts';
import { withRegistry, type RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { count } from '../../../report/count.ts';
import { collectImages, readImage, type ToCollect } from './collect.ts';
import { cutCatalog } from './cut.ts';
import { folderSink, folderSource, putBuilt, writeIndex } from './folder.ts';
import { imagesOfBundle } from './images.ts';
import type { MirroredImage } from './list.ts';
import { throughFolder } from './through-folder.ts';
import type { ChosenBundle } from './offers.ts';
import { parseWanted, selectBundles } from './select.ts';

export interface MirrorPullFlags extends RegistryFlags {
  readonly catalog: readonly string[];
  readonly package: readonly string[];
  readonly wholeCatalogs?: boolean;
  readonly since?: readonly string[];
}

/** @throws ReasonedError InputInvalid, CatalogInvalid, BundleInvalid, and the errors of a registry */
export async function pull(environment: Environment, target: string, flags: MirrorPullFlags): Promise<Outcome> {
  const folder = resolve(environment.folder, target);
  const since = (flags.since ?? []).map((one) => resolve(environment.folder, one));
  const wanted = flags.package.map(parseWanted);
  const { chosen, images } = await withRegistry(environment, flags, async (direct) => {
    const sink = folderSink(folder, since);
    const registry = throughFolder(direct, { folder, since, sink });
    // Of a catalog that is cut down, only the rest belongs into the folder.
    const catalogs = await readCatalogs(environment, flags.wholeCatalogs === true ? registry : direct, flags);
    const selected = await withIndexes(
      environment,
      catalogs.map(({ files }) => files),
      (indexes) => selectBundles(indexes, wanted),
    );
    const needed = await neededBy(registry, selected, environment);
    const { signal, progress = () => undefined } = environment;
    const copied = await collectImages(registry, [...wholeOf(catalogs, flags), ...needed], { sink, signal, progress });
    return { chosen: selected, images: [...(await cutCatalogs(catalogs, selected, { sink, flags })), ...copied] };
  });
  await writeIndex(folder, images, folderSource(folder, since));
  return outcome(target, chosen, images);
}

/** Only images: a folder on this machine has no name that a cluster could ask for. */
async function readCatalogs(
  environment: Environment,
  registry: ImageSource,
  { catalog }: MirrorPullFlags,
): Promise<readonly CatalogInput[]> {
  return Promise.all(
    [...new Set(catalog)].map(async (source) => {
      const place = await findPlace(environment, source);
      if (place.kind !== 'image')
        throw invalidInput(`${source} is no catalog image`, 'Name the image that the Catalogs of the cluster name');
      return { source, ...(await readCatalogImage(registry, place.reference, environment)) };
    }),
  );
}

function wholeOf(catalogs: readonly CatalogInput[], { wholeCatalogs = false }: MirrorPullFlags): readonly ToCollect[] {
  if (!wholeCatalogs) return [];
  return catalogs.map(({ source, digest }) => ({
    reference: parseReference(source),
    ...(digest !== undefined && { digest }),
    role: 'WholeCatalog',
  }));
}

/** Under the tags of the catalogs that they were cut from. */
async function cutCatalogs(
  catalogs: readonly CatalogInput[],
  chosen: readonly ChosenBundle[],
  { sink, flags }: { readonly sink: ImageSink; readonly flags: MirrorPullFlags },
): Promise<readonly MirroredImage[]> {
  if (flags.wholeCatalogs === true) return [];
  const cut: MirroredImage[] = [];
  for (const [at, { source, files }] of catalogs.entries()) {
    const { registry, repository, tag, digest } = parseReference(source);
    if (digest !== undefined)
      throw invalidInput(
        `${source} is by digest, and a catalog that is cut down has another one`,
        'Say --whole-catalogs, or name it by its tag',
      );
    const own = chosen.filter(({ catalog }) => catalog === at).map(({ bundle }) => bundle);
    const kept = new Map(
      [...Map.groupBy(own, (one) => one.package)].map(([name, all]) => [name, new Set(all.map((one) => one.name))]),
    );
    const image = cutCatalog(files, kept);
    await putBuilt(sink, image);
    const made = image.manifest.descriptor.digest;
    cut.push({
      name: `${registry}/${repository}`,
      digest: made,
      role: 'Catalog',
      tags: { [tag ?? 'latest']: made },
      referrers: [],
    });
  }
  return cut;
}

/** The bundles, and the images that they need. */
async function neededBy(
  registry: Registry,
  chosen: readonly ChosenBundle[],
  { signal }: Environment,
): Promise<readonly ToCollect[]> {
  const needed: ToCollect[] = [];
  for (const { bundle } of chosen) {
    const reference = parseReference(bundle.image);
    const options = { folders: BUNDLE_FOLDERS, limits: BUNDLE_LIMITS, signal };
    const { files, digest } = await pullFiles(registry, reference, options);
    needed.push({ reference, digest, role: 'Bundle' });
    for (const image of imagesOfBundle(parseBundle(files), bundle.relatedImages))
      needed.push({ reference: named(image, bundle.name), role: 'Image' });
  }
  // The bundle itself is often among its related images.
  const bundles = new Set(chosen.map(({ bundle }) => bundle.image));
  return needed.filter(({ role, reference }) => role === 'Bundle' || !bundles.has(textOf(reference)));
}

function textOf({ registry, repository, digest, tag }: ToCollect['reference']): string {
  return `${registry}/${repository}${digest === undefined ? `:${tag ?? ''}` : `@${digest}`}`;
}

function named(image: string, by: string): ToCollect['reference'] {
  const reference = readImage(image);
  if (reference !== undefined) return reference;
  throw new ReasonedError({
    reason: 'BundleInvalid',
    retry: 'never',
    message: `${by} names ${JSON.stringify(image.slice(0, 200))}, which is no image: nothing could be pulled in its place`,
    hint: 'Ask the author of the bundle to correct it',
  });
}

function outcome(folder: string, chosen: readonly ChosenBundle[], images: readonly MirroredImage[]): Outcome {
  const bundles = chosen.map(({ bundle }) => bundle.name).toSorted();
  const signatures = images.reduce(
    (sum, { referrers, tags }) =>
      sum + referrers.length + Object.keys(tags).filter((tag) => tag.endsWith('.sig')).length,
    0,
  );
  const lines = [...bundles, `${count(images.length, 'image')} and ${count(signatures, 'signature')} in ${folder}`];
  return { data: { folder, bundles, images, signatures }, text: lines.map((line) => `${line}\n`).join('') };
}
