/**
 * Keeps the index files of all catalogs in one folder: `catalogs/<catalog>/<digest>.db`. They survive a restart of the
 * manager, and can be rebuilt at any time. controllers/catalog calls it, and decides which index is in service.
 *
 * Every replica has a folder of its own and serves every catalog, whether it leads or not. The leader decides which
 * content is current and writes its digest to the status of the Catalog; a standby reads the digest there and passes it
 * to `open`. Indexes that the standby built itself, even before a restart, are in its folder; others it builds from the
 * same digest. A file is complete or absent, because it is renamed into place. Its name and content follow from the
 * digest alone, so a file that another process built into the same folder is as good. Only `collect` must run alone: of
 * two processes that share a folder, one would delete files that the other is about to open.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ReasonedError } from '../api/errors.ts';
import { notACatalog } from '../bundles/image-labels.ts';
import { PARTIAL_SUFFIX, type buildIndex } from './index/build.ts';
import { buildIndexInWorker } from './index/in-worker.ts';
import type { NotOffered } from './index/left-out.ts';
import { openIndex, type CatalogIndex } from './index/open.ts';
import type { CatalogLimits } from './limits.ts';
import type { CatalogFiles } from './tree.ts';

/** Content of a catalog, named by its digest: an image reference by digest, or the digest alone. */
export interface StoredContent {
  readonly digest: string;
  readonly files: CatalogFiles;
  /** What the source appears to be, if it has no packages; content without packages is refused then. */
  readonly seemsToBe?: string;
  /** Tags of repositories that it lacks: kept with the counts of the index. */
  readonly notOffered?: NotOffered | undefined;
}

export interface IndexStore {
  /** The index, or undefined if there is none; a damaged file is deleted. */
  open(catalog: string, digest: string): CatalogIndex | undefined;
  /**
   * Builds an index, in a worker thread if no option says another way, and opens it; replaces an index that exists already.
   *
   * Throws ReasonedError `CatalogInvalid` (never retried), and every error of reading the files.
   */
  build(catalog: string, source: StoredContent, signal?: AbortSignal): Promise<CatalogIndex>;
  /** Deletes every file except those of the given digests by catalog, and those that are being built. */
  collect(inUse: ReadonlyMap<string, string>): void;
}

export interface StoreOptions {
  /** The folder that has, or will have, the folder `catalogs`. */
  readonly folder: string;
  readonly limits?: CatalogLimits;
  /** How an index is built, in a worker thread if absent; a thread takes more of the processor than a small index. */
  readonly build?: typeof buildIndex;
}

const SUFFIX = '.db';

/** A store that no other process writes to; deletes unfinished files of an earlier process. */
export function createIndexStore(options: StoreOptions): IndexStore {
  return new FolderOfIndexes(options);
}

class FolderOfIndexes implements IndexStore {
  readonly #root: string;
  readonly #options: Omit<StoreOptions, 'folder'>;
  /** How many builds of each file are in progress. */
  readonly #building = new Map<string, number>();

  constructor({ folder, ...options }: StoreOptions) {
    this.#root = join(folder, 'catalogs');
    this.#options = options;
    mkdirSync(this.#root, { recursive: true });
    this.#deleteFiles((path) => path.endsWith(PARTIAL_SUFFIX));
  }

  open(catalog: string, digest: string): CatalogIndex | undefined {
    const path = this.#pathOf(catalog, digest);
    try {
      return openIndex(path);
    } catch (error) {
      if (!(error instanceof ReasonedError)) throw error;
      rmSync(path, { force: true });
      return undefined;
    }
  }

  async build(catalog: string, source: StoredContent, signal?: AbortSignal): Promise<CatalogIndex> {
    const { digest, files, seemsToBe, notOffered } = source;
    const target = this.#pathOf(catalog, digest);
    this.#building.set(target, (this.#building.get(target) ?? 0) + 1);
    try {
      mkdirSync(join(this.#root, catalog), { recursive: true });
      const { build = buildIndexInWorker, limits } = this.#options;
      const { packages } = await build({
        files,
        target,
        notOffered,
        ...(limits !== undefined && { limits }),
        ...(signal !== undefined && { signal }),
      });
      if (packages === 0 && seemsToBe !== undefined) {
        rmSync(target, { force: true });
        throw notACatalog(seemsToBe);
      }
      return openIndex(target, { verify: false });
    } finally {
      const others = this.#building.get(target)! - 1;
      if (others === 0) this.#building.delete(target);
      else this.#building.set(target, others);
    }
  }

  collect(inUse: ReadonlyMap<string, string>): void {
    const kept = new Set([...inUse].map(([catalog, digest]) => this.#pathOf(catalog, digest)));
    const busy = [...this.#building.keys()];
    this.#deleteFiles((path) => !kept.has(path) && !busy.some((target) => path.startsWith(target)));
  }

  #deleteFiles(isUnused: (path: string) => boolean): void {
    for (const catalog of readdirSync(this.#root, { withFileTypes: true })) {
      if (!catalog.isDirectory()) continue;
      for (const name of readdirSync(join(this.#root, catalog.name))) {
        const path = join(this.#root, catalog.name, name);
        if (isUnused(path)) rmSync(path, { force: true });
      }
    }
  }

  #pathOf(catalog: string, digest: string): string {
    if (!isCatalogName(catalog)) throw new Error(`not the name of a catalog: ${catalog}`);
    return join(this.#root, catalog, `${fileNameOf(digest)}${SUFFIX}`);
  }
}

/** Whether the text can be the name of a Catalog object. @see https://www.rfc-editor.org/rfc/rfc1123#page-13 */
export function isCatalogName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text);
}

/** The digest itself if the text is one, else a hash of the text. */
function fileNameOf(digest: string): string {
  const plain = digest.slice(digest.indexOf('@') + 1);
  if (/^[a-z0-9]+:[0-9a-f]{32,128}$/.test(plain)) return plain.replace(':', '-');
  return `other-${createHash('sha256').update(digest).digest('hex')}`;
}
