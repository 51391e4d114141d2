/**
 * Expressions as Go and the API server understand them, matched in time that grows with the text and no faster. Loaded
 * with the first one that is met, and bundled as a file of its own (scripts/build/bundle.ts), as the library for CEL.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export type Re2Library = typeof import('@bufbuild/re2');

/** Loads it, or gives what was loaded before. */
export function loadRe2(): Re2Library {
  return require('@bufbuild/re2') as Re2Library;
}
