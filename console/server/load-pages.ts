/**
 * The files of the pages. From source they are built when the first browser asks; the build of a released program puts the
 * built files in place of this module, so that a program has nothing to build with, and reads no file.
 */
import type { PageContent } from './assets.ts';

/** The page and its parts. */
export async function loadPages(): Promise<readonly PageContent[]> {
  const bytes = Buffer.from('<!doctype html><title>Slipway</title><p>This build has no pages.</p>');
  return [{ path: '/index.html', type: 'text/html; charset=utf-8', bytes, isImmutable: false }];
}
