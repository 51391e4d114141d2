/** The content of a mirror's folder: an OCI image layout, whose index is written once, when all content is there. */
import { ReasonedError } from '../../../api/errors.ts';
import { hasLayoutBlob, LAYOUT_MARK, layoutSource, writeLayoutBlob } from '../../../oci/layout.ts';
import { blobOf } from '../../../oci/blob.ts';
import type { BuiltImage } from '../../../oci/build.ts';
import type { ImageSink } from '../../../oci/copy.ts';
import { MEDIA_TYPE } from '../../../oci/manifest.ts';
import type { ImageSource } from '../../../oci/source.ts';
import { writeFiles } from '../output/write-files.ts';
import { formatList, LIST_FILE, type MirroredImage } from './list.ts';

/** Blobs that a folder has already, or one of an earlier run, are not pulled again. */
export function folderSink(folder: string, since: readonly string[]): ImageSink {
  const has = async (digest: string, size: number): Promise<boolean> => {
    for (const one of [folder, ...since]) if (await hasLayoutBlob(one, digest, size)) return true;
    return false;
  };
  const put = async ({ digest, size, open }: Parameters<ImageSink['putBlob']>[0]): Promise<void> => {
    if (!(await has(digest, size))) await writeLayoutBlob(folder, digest, open());
  };
  return { putBlob: put, putManifest: ({ bytes }) => put(blobOf(bytes)) };
}

/** Puts an image that was built here into a sink. */
export async function putBuilt(sink: ImageSink, { config, layers, manifest }: BuiltImage): Promise<void> {
  for (const { bytes } of [config, ...layers, manifest]) await sink.putBlob(blobOf(bytes));
}

/** The content of a folder, and of earlier ones that it leaves out. */
export function folderSource(folder: string, since: readonly string[]): ImageSource {
  const sources = [folder, ...since].map(layoutSource);
  const first = async <Found>(ask: (source: ImageSource) => Promise<Found>): Promise<Found> => {
    for (const source of sources.slice(0, -1)) {
      try {
        return await ask(source);
      } catch (error) {
        if (!(error instanceof ReasonedError)) throw error;
      }
    }
    return ask(sources.at(-1) ?? layoutSource(folder));
  };
  return {
    pullManifest: (reference, signal) => first((source) => source.pullManifest(reference, signal)),
    async *pullBlob(reference, descriptor, signal) {
      for (const [at, place] of [folder, ...since].entries())
        if (await hasLayoutBlob(place, descriptor.digest, descriptor.size))
          return yield* (sources[at] ?? layoutSource(place)).pullBlob(reference, descriptor, signal);
      yield* layoutSource(folder).pullBlob(reference, descriptor, signal);
    },
  };
}

/** Completes the folder: the index of the layout, and the list. */
export async function writeIndex(folder: string, images: readonly MirroredImage[], source: ImageSource): Promise<void> {
  const manifests = await Promise.all(
    [...new Set(images.map(({ digest }) => digest))].toSorted().map(async (digest) => {
      const { bytes, mediaType } = await source.pullManifest({ registry: '', repository: '', digest });
      const names = images.filter((one) => one.digest === digest).map(({ name }) => name);
      const annotations = { 'org.opencontainers.image.ref.name': `${names.toSorted()[0] ?? ''}@${digest}` };
      return {
        mediaType: mediaType === '' ? MEDIA_TYPE.ociManifest : mediaType,
        digest,
        size: bytes.length,
        annotations,
      };
    }),
  );
  const index = { schemaVersion: 2, mediaType: MEDIA_TYPE.ociIndex, manifests };
  await writeFiles(
    folder,
    new Map([
      ['oci-layout', LAYOUT_MARK],
      ['index.json', JSON.stringify(index)],
      [LIST_FILE, formatList(images)],
    ]),
  );
}
