/**
 * Images of Node programs, built without a container engine: programs in TypeScript in, an OCI index of images for
 * one or more architectures out. Same sources, same bytes. Called by `make build` for the manager and by whatever
 * needs a program as a Pod; pushing is oci/'s business.
 *
 * @see https://github.com/opencontainers/image-spec/blob/main/annotations.md
 */
import { buildImage, buildIndex, type BuiltIndex, type BuiltImage } from '../../oci/build.ts';
import type { FileContent } from '../../oci/tar-writer.ts';
import { ARCHITECTURES, type Architecture } from './architecture.ts';
import { baseFiles, baseLayer, NODE_PATH, USER, type BaseLayer } from './base-layer.ts';
import { bundlePrograms, type Bundle } from './bundle.ts';
import type { LockedPackage } from './lockfile.ts';
import type { DebianPackage } from './debian.ts';

export interface NodeImageInput {
  /** Name → path from the root of the repository: `{ manager: 'cmd/manager/main.ts' }` becomes `/app/manager.js`. */
  readonly entries: Readonly<Record<string, string>>;
  /** Which of the entries runs. */
  readonly entrypoint: string;
  readonly nodeOptions?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Labels of the images, and annotations of images and index: `org.opencontainers.image.title`, …. */
  readonly labels?: Readonly<Record<string, string>>;
  /** RFC 3339; the epoch where absent. */
  readonly created?: string;
  /** All where absent. */
  readonly architectures?: readonly Architecture[];
}

export interface NodeImage {
  readonly index: BuiltIndex;
  /** The files in the image of each architecture, in the order of the index. */
  readonly contents: readonly ImageContents[];
}

export interface ImageContents {
  readonly architecture: Architecture;
  readonly image: BuiltImage;
  readonly nodeVersion: string;
  readonly packages: readonly LockedPackage[];
  readonly debian: readonly DebianPackage[];
}

/** Builds it in memory. Throws if Node or a library is missing for an architecture; the message names it. */
export async function buildNodeImage(input: NodeImageInput): Promise<NodeImage> {
  const { architectures = ARCHITECTURES, labels = {} } = input;
  const bundle = await bundlePrograms(input.entries);
  if (!bundle.files.has(`${input.entrypoint}.js`)) throw new Error(`there is no entry ${input.entrypoint}`);
  const contents: ImageContents[] = [];
  for (const architecture of architectures) {
    const base = await baseLayer(architecture);
    const { nodeVersion, debian } = base;
    const image = imageOf(input, { architecture, base, bundle });
    contents.push({ architecture, image, nodeVersion, debian, packages: bundle.packages });
  }
  return {
    index: buildIndex(
      contents.map(({ image }) => image),
      labels,
    ),
    contents,
  };
}

interface Parts {
  readonly architecture: Architecture;
  readonly base: BaseLayer;
  readonly bundle: Bundle;
}

function imageOf(input: NodeImageInput, { architecture, base, bundle }: Parts): BuiltImage {
  const { labels = {}, env = {}, nodeOptions = [], created } = input;
  return buildImage({
    base: [base.layer],
    files: appFiles(bundle),
    platform: { os: 'linux', architecture },
    labels,
    annotations: labels,
    ...(created !== undefined && { created }),
    config: {
      User: `${USER}:${USER}`,
      WorkingDir: '/app',
      Env: Object.entries({ PATH: '/usr/bin', ...env }).map(([name, value]) => `${name}=${value}`),
      Entrypoint: [NODE_PATH, ...nodeOptions, `/app/${input.entrypoint}.js`],
    },
  });
}

function appFiles({ files }: Bundle): ReadonlyMap<string, FileContent> {
  return new Map([...files].map(([name, bytes]) => [`app/${name}`, bytes]));
}

/** Every file of the image, by path: what its layers are made of. */
export async function rootFiles(
  architecture: Architecture,
  entries: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, FileContent>> {
  const bundle = await bundlePrograms(entries);
  return new Map([...(await baseFiles(architecture)), ...appFiles(bundle)]);
}
