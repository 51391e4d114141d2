/**
 * A bounded store on disk for small verified content, keyed by digest, in front of a registry, so that nothing is
 * pulled twice. It can be deleted at any time; content read from it is verified again. Every reader that knows a digest
 * gets its content, so sources with different rights do not share a cache.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { algorithmOf, hexOf, isDigest, matchesDigest } from './digest.ts';
import { type Descriptor, parseManifest } from './manifest.ts';
import { originOf, type PulledManifest } from './pull.ts';
import type { Reference } from './reference.ts';
import type { ImageSource } from './source.ts';

export interface BlobCacheOptions {
  readonly folder: string;
  /** Bytes on disk; the least recently used content is evicted first. */
  readonly maxBytes: number;
  /** Larger content is passed through, not kept; if absent, an eighth of `maxBytes`. */
  readonly maxBlobBytes?: number;
}

export interface BlobCache {
  readonly maxBlobBytes: number;
  /** The content, verified; undefined if it is absent or was damaged (and is now removed). */
  read(digest: string): Promise<Buffer | undefined>;
  /**
   * Keeps content that its caller has verified; a reader of the digest waits for it. A full or broken disk is no error: the
   * content is not kept.
   */
  write(digest: string, bytes: Uint8Array): Promise<void>;
  /** Bytes kept now. */
  size(): number;
  /** Bytes that are being written. */
  writing(): number;
}

/** Opens the folder and creates it if necessary; files of an earlier process count. */
export async function openBlobCache(options: BlobCacheOptions): Promise<BlobCache> {
  const { folder, maxBytes, maxBlobBytes = maxBytes >> 3 } = options;
  const sizes = await scan(folder);
  const path = (digest: string): string => join(folder, fileName(digest));
  const drop = async (digest: string): Promise<void> => {
    sizes.delete(digest);
    await rm(path(digest), { force: true }).catch(() => {});
  };
  const total = (): number => [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const store = async (digest: string, bytes: Uint8Array): Promise<void> => {
    if (!(await writeWhole(path(digest), bytes))) return;
    sizes.set(digest, bytes.length);
    for (const [oldest] of sizes) {
      if (total() <= maxBytes) break;
      await drop(oldest);
    }
  };
  const writes = new Writes();
  return {
    maxBlobBytes,
    size: total,
    writing: () => writes.bytes,
    async read(digest) {
      await writes.of(digest);
      if (!sizes.has(digest)) return undefined;
      const bytes = await readFile(path(digest)).catch(() => undefined);
      if (bytes === undefined || !matchesDigest(bytes, digest)) {
        await drop(digest);
        return undefined;
      }
      touch(sizes, digest);
      const now = new Date();
      await utimes(path(digest), now, now).catch(() => {});
      return bytes;
    },
    async write(digest, bytes) {
      if (bytes.length > maxBlobBytes || sizes.has(digest)) return;
      await (writes.of(digest) ?? writes.begin(digest, bytes.length, store(digest, bytes)));
    },
  };
}

/** The writes that have begun and not ended, by digest. */
class Writes {
  readonly #begun = new Map<string, { readonly bytes: number; readonly ended: Promise<void> }>();

  get bytes(): number {
    return [...this.#begun.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  of(digest: string): Promise<void> | undefined {
    return this.#begun.get(digest)?.ended;
  }

  begin(digest: string, bytes: number, write: Promise<void>): Promise<void> {
    const ended = write.finally(() => this.#begun.delete(digest));
    this.#begun.set(digest, { bytes, ended });
    return ended;
  }
}

/**
 * A source that reads content from the cache if it is there, and else from the registry, and keeps it. Tags are always
 * resolved by the registry.
 */
export function cachedSource(source: ImageSource, cache: BlobCache): ImageSource {
  return {
    async pullManifest(reference, signal) {
      const kept = reference.digest === undefined ? undefined : await readManifest(cache, reference, reference.digest);
      if (kept !== undefined) return kept;
      const pulled = await source.pullManifest(reference, signal);
      if (hasOwnType(pulled)) await keep(cache, pulled.digest, pulled.bytes);
      return pulled;
    },
    pullBlob: (reference, descriptor, signal) =>
      descriptor.size <= cache.maxBlobBytes
        ? keptBlob(cache, descriptor, () => source.pullBlob(reference, descriptor, signal))
        : source.pullBlob(reference, descriptor, signal),
  };
}

async function* keptBlob(
  cache: BlobCache,
  { digest }: Pick<Descriptor, 'digest'>,
  pull: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const kept = await cache.read(digest);
  if (kept !== undefined) {
    yield kept;
    return;
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of pull()) {
    chunks.push(chunk);
    yield chunk;
  }
  await keep(cache, digest, Buffer.concat(chunks));
}

/** Of content that is being written; with more, a disk slower than the registry would fill the memory. */
const MOST_BYTES_WRITING = 16 * 1024 * 1024;

/** A pull does not wait until its content is on the disk: for a small bundle that takes as long as all else. */
async function keep(cache: BlobCache, digest: string, bytes: Uint8Array): Promise<void> {
  const kept = cache.write(digest, bytes);
  if (cache.writing() > MOST_BYTES_WRITING) await kept;
}

/** Only a manifest that contains its own type is recognizable by its bytes alone. */
function hasOwnType({ bytes, mediaType }: PulledManifest): boolean {
  return ownType(bytes) === mediaType;
}

function ownType(bytes: Buffer): string | undefined {
  const { mediaType } = JSON.parse(bytes.toString('utf8')) as { mediaType?: unknown };
  return typeof mediaType === 'string' ? mediaType : undefined;
}

async function readManifest(
  cache: BlobCache,
  reference: Reference,
  digest: string,
): Promise<PulledManifest | undefined> {
  const bytes = await cache.read(digest);
  if (bytes === undefined) return undefined;
  const mediaType = ownType(bytes);
  return { bytes, digest, mediaType: mediaType ?? '', manifest: parseManifest(bytes, mediaType, originOf(reference)) };
}

function fileName(digest: string): string {
  return `${algorithmOf(digest)}-${hexOf(digest)}`;
}

function digestOfName(name: string): string | undefined {
  const digest = name.replace('-', ':');
  return isDigest(digest) ? digest : undefined;
}

/** Least recently used first, by the time that reading sets; left-over parts of a crash are removed. */
async function scan(folder: string): Promise<Map<string, number>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found: { digest: string; size: number; usedMs: number }[] = [];
  for (const name of await readdir(folder)) {
    const digest = digestOfName(name);
    const info = await stat(join(folder, name));
    if (digest === undefined) await rm(join(folder, name), { force: true, recursive: true });
    else found.push({ digest, size: info.size, usedMs: info.mtimeMs });
  }
  return new Map(found.sort((a, b) => a.usedMs - b.usedMs).map(({ digest, size }) => [digest, size]));
}

function touch(sizes: Map<string, number>, digest: string): void {
  const size = sizes.get(digest) ?? 0;
  sizes.delete(digest);
  sizes.set(digest, size);
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<boolean> {
  const partial = `${path}.${randomUUID()}`;
  try {
    await writeFile(partial, bytes, { mode: 0o600, flag: 'wx' });
    await rename(partial, path);
    return true;
  } catch {
    await rm(partial, { force: true }).catch(() => {});
    return false;
  }
}
