/**
 * The lowest layer of an image: Node, the libraries that it is linked with, and a user who is not root. No shell,
 * no package manager. Compressing it takes seconds, so the result is kept.
 */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf } from '../../oci/digest.ts';
import { buildLayer, type Layer } from '../../oci/build.ts';
import { MEDIA_TYPE } from '../../oci/manifest.ts';
import type { FileContent } from '../../oci/tar-writer.ts';
import { FACTS, type Architecture } from './architecture.ts';
import { cachePath, partialOf } from './cache.ts';
import { readDebianPackage, readPins, type DebianPackage } from './debian.ts';
import { nodeVersion, readNode } from './node-binary.ts';
import { unpackFiles } from './unpack.ts';

/** Where Node is in the image. */
export const NODE_PATH = '/usr/bin/node';
/** Who runs it. */
export const USER = 65532;

/** Debian package → its files in the image: path in the package → path in the image. */
const LIBRARIES: Readonly<Record<string, (architecture: Architecture) => readonly (readonly [string, string])[]>> = {
  libc6: (architecture) => {
    const { libraries, linker } = FACTS[architecture];
    const names = ['libc.so.6', 'libm.so.6', 'libdl.so.2', 'libpthread.so.0'];
    const linkerName = linker.slice(linker.lastIndexOf('/') + 1);
    return [...names.map((name) => same(`${libraries}/${name}`)), [`${libraries}/${linkerName}`, linker]];
  },
  'libgcc-s1': (architecture) => [same(`${FACTS[architecture].libraries}/libgcc_s.so.1`)],
  'libstdc++6': (architecture) => {
    const path = `${FACTS[architecture].libraries}/libstdc++.so.6`;
    return [[`usr/${path}`, path]];
  },
};

/** Whose copyright stands in the package itself; the others point to one of these. */
const WITH_COPYRIGHT: ReadonlySet<string> = new Set(['libc6', 'gcc-12-base']);

export interface BaseLayer {
  readonly layer: Layer;
  readonly nodeVersion: string;
  readonly debian: readonly DebianPackage[];
}

/** Builds it, or takes it from the cache: the same bytes either way. */
export async function baseLayer(architecture: Architecture): Promise<BaseLayer> {
  const debian = await pinsOf(architecture);
  const version = await nodeVersion(architecture);
  const key = createHash('sha256').update(JSON.stringify([version, process.version, debian, await ownCode()]));
  const name = `base-${architecture}-${key.digest('hex').slice(0, 16)}`;
  const layer = (await readKept(name)) ?? (await keep(name, buildLayer(await baseFiles(architecture))));
  return { layer, nodeVersion: version, debian };
}

/** The files of the layer, by path. */
export async function baseFiles(architecture: Architecture): Promise<ReadonlyMap<string, FileContent>> {
  const node = await readNode(architecture);
  const files = new Map<string, FileContent>([
    [NODE_PATH.slice(1), { bytes: node.binary, mode: 0o755 }],
    ['usr/share/doc/node/LICENSE', node.licence],
    ['etc/passwd', Buffer.from(`root:x:0:0:root:/:/bin/false\nnonroot:x:${USER}:${USER}:nonroot:/:/bin/false\n`)],
    ['etc/group', Buffer.from(`root:x:0:\nnonroot:x:${USER}:\n`)],
  ]);
  for (const pinned of await pinsOf(architecture)) {
    const wanted = new Map(LIBRARIES[pinned.name]?.(architecture) ?? []);
    const copyright = `usr/share/doc/${pinned.name}/copyright`;
    if (WITH_COPYRIGHT.has(pinned.name)) wanted.set(copyright, copyright);
    for (const [path, bytes] of await unpackFiles(await readDebianPackage(pinned), wanted))
      files.set(path, path.startsWith('lib') ? { bytes, mode: 0o755 } : bytes);
  }
  return files;
}

async function pinsOf(architecture: Architecture): Promise<readonly DebianPackage[]> {
  return (await readPins()).filter((pinned) => pinned.architecture === architecture);
}

function same(path: string): readonly [string, string] {
  return [path, path];
}

/** The programs that make the layer are part of its cache key. */
async function ownCode(): Promise<readonly string[]> {
  const makers = [
    'base-layer.ts',
    'unpack.ts',
    'debian.ts',
    'node-binary.ts',
    '../../oci/build.ts',
    '../../oci/tar-writer.ts',
  ];
  return Promise.all(makers.map((name) => readFile(join(import.meta.dirname, name), 'utf8')));
}

async function readKept(name: string): Promise<Layer | undefined> {
  try {
    const bytes = await readFile(cachePath(`${name}.tar.gz`));
    const { digest, diffId } = JSON.parse(await readFile(cachePath(`${name}.json`), 'utf8')) as Record<string, string>;
    if (digest === undefined || diffId === undefined || digestOf(bytes) !== digest) return undefined;
    return { bytes, diffId, descriptor: { mediaType: MEDIA_TYPE.ociLayerGzip, digest, size: bytes.length } };
  } catch {
    return undefined;
  }
}

async function keep(name: string, layer: Layer): Promise<Layer> {
  const parts = new Map<string, Uint8Array>([
    [`${name}.tar.gz`, layer.bytes],
    [`${name}.json`, Buffer.from(JSON.stringify({ digest: layer.descriptor.digest, diffId: layer.diffId }))],
  ]);
  for (const [file, bytes] of parts) {
    const partial = partialOf(cachePath(file));
    await writeFile(partial.path, bytes);
    partial.commit();
  }
  return layer;
}
