/** Loads CEL's text functions beyond the standard ones, as late as the library itself (lazy-cel.ts). */
import { createRequire } from 'node:module';
import type { CelFunc } from '@bufbuild/cel';

const require = createRequire(import.meta.url);

/** Loads them on the first call. */
export function loadCelStrings(): readonly CelFunc[] {
  return (require('@bufbuild/cel/ext') as typeof import('@bufbuild/cel/ext')).strings;
}
