/**
 * The pages of the console inside of a released program: the module that builds them from source is replaced by one that
 * has the result, so that no program needs esbuild or reads files beside itself.
 */
import type { Plugin } from 'esbuild';
import { buildPages, type PageFile } from '../../console/browser/build.ts';
import type { Files } from './write-files.ts';

/** Replaces console/browser/build.ts in a program that serves the pages; nothing happens in others. */
export const PAGES: Plugin = {
  name: 'pages',
  setup: (esbuild) => {
    esbuild.onLoad({ filter: /\/console\/browser\/build\.ts$/ }, async () => ({
      contents: renderModule(await buildPages()),
      loader: 'js',
    }));
  },
};

function renderModule(files: readonly PageFile[]): string {
  const stored = files.map(({ bytes, ...file }) => ({ ...file, text: Buffer.from(bytes).toString('utf8') }));
  return `const FILES = ${JSON.stringify(stored)};
export async function buildPages() {
  return FILES.map(({ text, ...file }) => ({ ...file, bytes: Buffer.from(text, 'utf8') }));
}
`;
}

/** The pages as files of a folder, with a manifest: path, media type and size of each, index.html first. */
export async function pageFiles(): Promise<Files> {
  const files = await buildPages();
  const manifest = files.map(({ path, type, bytes, isImmutable }) => ({
    path,
    type,
    bytes: bytes.length,
    isImmutable,
  }));
  return new Map([
    ...files.map(({ path, bytes }) => [path.slice(1), bytes] as const),
    ['manifest.json', Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)],
  ]);
}
