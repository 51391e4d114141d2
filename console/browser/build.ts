/**
 * The pages of the console as files: JavaScript, style sheet, icon and index.html, each but the last with a hash of its
 * content in its name. From source the server calls this at its first request; a released program has the result in it
 * (scripts/build/pages.ts puts it there). Same sources, same bytes.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { build, type Metafile } from 'esbuild';

/** One file of the console as it is served. */
export interface PageFile {
  /** Of the URL, as `/main-3F2A.js`; `/index.html` is the answer for every view. */
  readonly path: string;
  /** The media type, with the character set. */
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Whether the content of this path never changes, so that browsers may keep it for good. */
  readonly isImmutable: boolean;
}

const HERE = import.meta.dirname;
const OUT = resolve(HERE, 'out');

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/** Every file of the pages, index.html first. Throws esbuild's error if the sources cannot be built. */
export async function buildPages(): Promise<readonly PageFile[]> {
  const { outputFiles, metafile } = await bundle();
  const files = outputFiles.map(({ path, contents }) => immutable(basename(path), contents));
  const icon = await hashedIcon();
  return [await indexOf(namesIn(metafile), icon.path), ...files, icon];
}

function bundle() {
  return build({
    absWorkingDir: HERE,
    entryPoints: { main: 'main.tsx', style: 'styles/all.css' },
    outdir: OUT,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    write: false,
    metafile: true,
    bundle: true,
    // graphs and Markdown are loaded with the first view that needs them
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2023', 'chrome120', 'firefox121', 'safari17.2'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
}

/** The files that index.html names: of the program, and of the style sheet. */
interface Names {
  readonly script: string;
  readonly style: string;
  /** Parts of the program that it imports at once. */
  readonly parts: readonly string[];
}

function namesIn({ outputs }: Metafile): Names {
  const entries = Object.entries(outputs);
  const [script, { imports }] = entries.find(([, { entryPoint }]) => entryPoint === 'main.tsx')!;
  const [style] = entries.find(([, { entryPoint }]) => entryPoint === 'styles/all.css')!;
  const parts = imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path));
  return { script: basename(script), style: basename(style), parts };
}

async function indexOf({ script, style, parts }: Names, icon: string): Promise<PageFile> {
  const template = await readFile(resolve(HERE, 'index.html'), 'utf8');
  const preloads = parts.map((part) => `<link rel="modulepreload" href="/${part}" />`).join('');
  const html = template
    .replace('<!-- preload -->', preloads)
    .replaceAll('/main.tsx', `/${script}`)
    .replaceAll('/styles/all.css', `/${style}`)
    .replaceAll('/icon.svg', icon);
  return { path: '/index.html', type: 'text/html; charset=utf-8', bytes: Buffer.from(html), isImmutable: false };
}

async function hashedIcon(): Promise<PageFile> {
  const bytes = await readFile(resolve(HERE, 'icon.svg'));
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8).toUpperCase();
  return immutable(`icon-${hash}.svg`, bytes);
}

function immutable(name: string, bytes: Uint8Array): PageFile {
  const type = TYPES[name.split('.').at(-1) ?? ''];
  if (type === undefined) throw new Error(`${name} has no media type`);
  return { path: `/${name}`, type, bytes, isImmutable: true };
}
