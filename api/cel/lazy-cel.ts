/**
 * Loads the CEL library with the first rule: few catalogs have any, and the library takes six megabytes. In the bundled
 * program it is a separate file (scripts/build/bundle.ts), loaded as late.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export type CelLibrary = typeof import('@bufbuild/cel');

/** Loads it on the first call. */
export function loadCel(): CelLibrary {
  return require('@bufbuild/cel') as CelLibrary;
}
