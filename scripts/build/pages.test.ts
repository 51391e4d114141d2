/** The pages of the console as they are released: small, without requests to elsewhere, and inside of the programs. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildPages, type PageFile } from '../../console/browser/build.ts';
import { ROOT } from './bundle.ts';
import { pageFiles, PAGES } from './pages.ts';

const BUDGET = 80_000;

const files = await buildPages();
const index = textOf(files[0]!);
const text = new Map(files.map((file) => [file.path, textOf(file)]));

function textOf({ bytes }: PageFile): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Addresses that no program fetches: names of vocabularies, and pages that messages of errors in libraries name. */
const NAMES = [
  /^http:\/\/www\.w3\.org\//,
  /^https:\/\/github\.com\/preactjs\/preact-iso#locationprovider$/,
  /^https:\/\/github\.com\/markedjs\/marked\.$/,
];

function addressesIn(content: string): readonly string[] {
  return [...content.matchAll(/(?:https?:)?\/\/[a-z0-9][a-z0-9.-]*\.[a-z]{2,}[^\s"'`)]*/gi)]
    .map(([address]) => address)
    .filter((address) => !NAMES.some((name) => name.test(address)));
}

describe('the pages of the console', () => {
  test('are at most 80 kB as they travel: JavaScript, style sheets, HTML and icon together', () => {
    const sizes = files.map(({ path, bytes }) => ({ path, size: gzipSync(bytes, { level: 9 }).length }));
    const sum = sizes.reduce((total, { size }) => total + size, 0);
    expect(sum, JSON.stringify(sizes)).toBeLessThanOrEqual(BUDGET);
  });

  test('load little before the first view is drawn: graph and Markdown come later', () => {
    const first = files.filter(({ path }) => index.includes(path));
    const sum = first.reduce((total, { bytes }) => total + gzipSync(bytes, { level: 9 }).length, 0);
    expect(sum).toBeLessThanOrEqual(BUDGET / 2);
  });

  test.each([...text.keys()])('%s has no address of elsewhere', (path) => {
    expect(addressesIn(text.get(path) ?? '')).toEqual([]);
  });

  test.each([
    { content: 'fetch("https://cdn.example.com/x.js")', because: 'a request by its address' },
    { content: '@import url(//fonts.example.com/a.css)', because: 'an address without a scheme' },
  ])('an address of elsewhere is found: $because', ({ content }) => {
    expect(addressesIn(content)).toHaveLength(1);
  });

  test('the index has no code and no style in it, so that a strict policy allows the page', () => {
    expect(index).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:/i);
  });

  test('the index names files that exist, and its program and style sheet', () => {
    const named = [...index.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
    expect(named.filter((path) => !text.has(path))).toEqual([]);
    expect(named).toContainEqual(expect.stringMatching(/^\/main-\w+\.js$/));
    expect(named).toContainEqual(expect.stringMatching(/^\/style-\w+\.css$/));
  });

  test('every file but the index has a hash in its name, and may be kept by browsers', () => {
    for (const { path, isImmutable } of files.slice(1)) {
      expect(path).toMatch(/-[0-9A-Z]{8}\.\w+$/);
      expect(isImmutable).toBe(true);
    }
    expect(files[0]).toMatchObject({ path: '/index.html', isImmutable: false });
  });

  test('the same sources give the same bytes', async () => {
    const digest = (all: readonly PageFile[]): string =>
      createHash('sha256')
        .update(all.map((file) => file.path + textOf(file)).join())
        .digest('hex');
    expect(digest(await buildPages())).toBe(digest(files));
  });

  test('the manifest lists each file of the folder', async () => {
    const folder = await pageFiles();
    const manifest = JSON.parse(Buffer.from(folder.get('manifest.json') as Uint8Array).toString()) as PageFile[];
    expect(manifest.map(({ path }) => path.slice(1))).toEqual(
      [...folder.keys()].filter((name) => name !== 'manifest.json'),
    );
  });
});

test('a released program has the pages in it, byte for byte, and needs no source', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-pages-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    stdin: { contents: `export { buildPages } from './console/browser/build.ts';`, resolveDir: ROOT },
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    charset: 'ascii',
    plugins: [PAGES],
  });
  const program = join(folder, 'program.mjs');
  writeFileSync(program, outputFiles[0]!.contents);
  const released = (await import(pathToFileURL(program).href)) as { readonly buildPages: typeof buildPages };
  const found = await released.buildPages();
  expect(found.map((file) => [file.path, file.type, textOf(file)])).toEqual(
    files.map((file) => [file.path, file.type, textOf(file)]),
  );
});
