/** The functions on texts that CEL has besides the standard ones, loaded as late as the library itself (lazy-cel.ts). */
import { createRequire } from 'node:module';
import type { CelFunc } from '@bufbuild/cel';

const require = createRequire(import.meta.url);

/** Loads them, or gives what was loaded before. */
export function loadCelStrings(): readonly CelFunc[] {
  return (require('@bufbuild/cel/ext') as typeof import('@bufbuild/cel/ext')).strings;
}
