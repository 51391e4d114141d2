/**
 * The files of the pages. From source they are built when the first browser asks; a released program has them in it
 * (scripts/build/pages.ts), so that it has nothing to build with, and reads no file.
 */
import type { PageContent } from './assets.ts';

/** @throws The error of the bundler, from source */
export async function loadPages(): Promise<readonly PageContent[]> {
  const { buildPages } = await import('../browser/build.ts');
  return buildPages();
}
