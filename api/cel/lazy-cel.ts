/**
 * The library for CEL, loaded with the first rule that is met: few catalogs have any, and it takes six megabytes.
 * Where everything is bundled, it is a file of its own beside the program (scripts/build/bundle.ts), read as late.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export type CelLibrary = typeof import('@bufbuild/cel');

/** Loads it, or gives what was loaded before. */
export function loadCel(): CelLibrary {
  return require('@bufbuild/cel') as CelLibrary;
}
