/**
 * Regular expressions with the syntax of Go and the API server, matched in linear time. Loaded with the first
 * expression, and bundled as a separate file (scripts/build/bundle.ts), like the CEL library.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export type Re2Library = typeof import('@bufbuild/re2');

/** Loads it on the first call. */
export function loadRe2(): Re2Library {
  return require('@bufbuild/re2') as Re2Library;
}
