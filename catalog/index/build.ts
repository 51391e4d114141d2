/** Builds an index in the calling thread: for tools and tests; the manager uses in-worker.ts. */
import { randomBytes } from 'node:crypto';
import { DEFAULT_LIMITS, type CatalogLimits } from '../limits.ts';
import { chunksOf, type CatalogFiles } from '../tree.ts';
import { IndexBuilder, type IndexCounts } from './builder.ts';
import type { NotOffered } from './left-out.ts';

export interface BuildOptions {
  readonly files: CatalogFiles;
  /** Path of the index; its folder exists. */
  readonly target: string;
  readonly limits?: CatalogLimits;
  /** Kept with the counts of the index. */
  readonly notOffered?: NotOffered | undefined;
  readonly signal?: AbortSignal;
}

/** The suffix of the name of an unfinished index. */
export const PARTIAL_SUFFIX = '.partial';

/**
 * Builds the index of a catalog and puts it in its place as a whole, or not at all.
 *
 * Throws ReasonedError `CatalogInvalid` (never retried) for content that cannot be read, and every error of `files`.
 */
export async function buildIndex({
  files,
  target,
  limits = DEFAULT_LIMITS,
  notOffered,
  signal,
}: BuildOptions): Promise<IndexCounts> {
  const builder = new IndexBuilder({ target, partial: partialPath(target), limits, notOffered });
  try {
    for await (const { path, content } of files) {
      builder.beginFile(path);
      for await (const chunk of chunksOf(content)) {
        signal?.throwIfAborted();
        builder.push(chunk);
      }
      builder.endFile();
    }
    return builder.finish();
  } catch (error) {
    builder.abort();
    throw error;
  }
}

/** The path of an unfinished index; no two builds share it. */
export function partialPath(target: string): string {
  return `${target}.${randomBytes(6).toString('hex')}${PARTIAL_SUFFIX}`;
}
