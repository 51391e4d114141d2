/** The image of the manager: its files, its labels, and its bill of materials. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buildArtifact, type BuiltImage } from '../../oci/build.ts';
import type { Architecture } from './architecture.ts';
import { ROOT } from './bundle.ts';
import { buildNodeImage, type NodeImage } from './node-image.ts';
import { run } from './run.ts';
import { renderSbom, SPDX } from './sbom.ts';

/** The manager, and the program of its worker thread. */
export const MANAGER_ENTRIES: Readonly<Record<string, string>> = {
  manager: 'cmd/manager/main.ts',
  'catalog-index-worker': 'catalog/index/worker.ts',
};

/** The programs of the image: the manager, and the console, which a Deployment of its own runs. They share most of their code. */
export const IMAGE_ENTRIES: Readonly<Record<string, string>> = {
  ...MANAGER_ENTRIES,
  console: 'cmd/console/main.ts',
};

/**
 * If memory is bounded, a small young generation and an old one that grows by a tenth at a time cost little time and
 * save much: garbage is collected before it makes the process large. The young generation is collected also while the old
 * one is marked; otherwise it grows far beyond its bound until the marking ends, which takes long on a busy machine. V8's
 * baseline compiler is left out: the manager waits more than it computes, and the compiler's output takes memory.
 * @see docs/decisions/0018-what-memory-is.md
 */
export const NODE_OPTIONS: readonly string[] = [
  '--max-semi-space-size=1',
  '--heap-growing-percent=10',
  '--no-separate-gc-phases',
  '--optimize-for-size',
  '--no-sparkplug',
];

/**
 * The console answers many short questions: a function is compiled only after twenty times the usual number of calls, and by
 * the middle compiler, as the pages of the last one take 5 MB. Large searches take up to 1.75 times as long: decision 18.
 */
export const CONSOLE_OPTIONS: readonly string[] = [
  ...NODE_OPTIONS,
  '--max-opt=2',
  '--invocation-count-for-maglev=8000',
  '--invocation-count-for-maglev-osr=2000',
];

/**
 * The C library keeps what it once had, in pools of its own for each thread. With two pools in place of many, and with
 * buffers taken from the system and given back one by one, an installation leaves 60 MB less behind. From half of that
 * size on, which is that of V8's work space, it would be 4 MB less again, and a tenth more of the processor.
 * @see https://man7.org/linux/man-pages/man3/mallopt.3.html
 */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

export interface ManagerImage extends NodeImage {
  readonly version: string;
  /** Its labels, by the names of the OCI image specification. */
  readonly labels: Readonly<Record<string, string>>;
  /** Refer to the images, one each. */
  readonly sboms: readonly Sbom[];
}

export interface Sbom {
  readonly architecture: Architecture;
  readonly text: string;
  readonly artifact: BuiltImage;
}

export interface ManagerImageOptions {
  readonly architectures?: readonly Architecture[];
}

/** Builds it from the checkout; its labels contain the data of the commit, so every commit has one digest. */
export async function buildManagerImage({ architectures }: ManagerImageOptions = {}): Promise<ManagerImage> {
  const { version, description, license } = await packageFacts();
  const created = await commitTime();
  const revision = await gitSays(['rev-parse', 'HEAD']);
  const labels = {
    'org.opencontainers.image.title': 'slipway',
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': license,
    'org.opencontainers.image.created': created,
    ...(revision !== undefined && { 'org.opencontainers.image.revision': revision }),
  };
  const image = await buildNodeImage({
    entries: IMAGE_ENTRIES,
    entrypoint: 'manager',
    nodeOptions: NODE_OPTIONS,
    env: ENVIRONMENT,
    labels,
    created,
    ...(architectures !== undefined && { architectures }),
  });
  const sboms = image.contents.map((contents): Sbom => {
    const text = renderSbom({ name: 'slipway', version, created }, contents);
    const artifact = buildArtifact({
      artifactType: SPDX,
      subject: contents.image.manifest.descriptor,
      blobs: [{ bytes: Buffer.from(text), mediaType: SPDX }],
      annotations: { 'org.opencontainers.image.created': created },
    });
    return { architecture: contents.architecture, text, artifact };
  });
  return { ...image, version, labels, sboms };
}

interface PackageFacts {
  readonly version: string;
  readonly description: string;
  readonly license: string;
}

async function packageFacts(): Promise<PackageFacts> {
  return JSON.parse(await readFile(resolve(ROOT, 'package.json'), 'utf8')) as PackageFacts;
}

/** SOURCE_DATE_EPOCH where it is set, else when the commit was made. @see https://reproducible-builds.org/specs/source-date-epoch/ */
async function commitTime(): Promise<string> {
  const seconds = process.env['SOURCE_DATE_EPOCH'] ?? (await gitSays(['log', '-1', '--format=%ct'])) ?? '0';
  if (!/^\d{1,11}$/.test(seconds)) throw new Error(`SOURCE_DATE_EPOCH is no number of seconds: ${seconds}`);
  return new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z');
}

/** Undefined in a tree that is no checkout. */
async function gitSays(args: readonly string[]): Promise<string | undefined> {
  if (!existsSync(resolve(ROOT, '.git'))) return undefined;
  return (await run('git', args, { cwd: ROOT, need: 'it reports the commit that is built' })).toString('utf8').trim();
}
