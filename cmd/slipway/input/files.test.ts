import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readTree } from './files.ts';

let outside: string;
let folder: string;
beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'slipway-files-'));
  folder = join(outside, 'bundle');
  write('../secret', '../elsewhere/secret', '../bundle-of-others/secret', 'manifests/a.yaml', '.git/config');
});
afterEach(() => rmSync(outside, { recursive: true }));

function write(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), path);
  }
}

function link(path: string, target: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  symlinkSync(target, join(folder, path));
}

const LIMITS = { maxFiles: 10, maxBytes: 100 };
const PARTS = ['manifests', 'tests'];
const read = async (parts = PARTS): Promise<readonly string[]> => [
  ...(await readTree(folder, { parts, ...LIMITS })).keys(),
];

describe('a link in a folder', () => {
  test.each([
    { because: 'leads up', path: 'tests/a', target: '../../secret' },
    { because: 'is absolute', path: 'tests/a', target: '/proc/self/environ' },
    {
      because: 'leads into a folder whose name begins alike',
      path: 'tests/a',
      target: '../../bundle-of-others/secret',
    },
    { because: 'is a whole part of it', path: 'tests', target: '../elsewhere' },
    { because: 'leads to another link, which leads out', path: 'tests/a', target: '../hop' },
    { because: 'leads through a folder that leads out', path: 'tests/a', target: '../away/secret' },
    { because: 'leads to a file that is never read', path: 'tests/a', target: '../.git/config' },
    { because: 'leads nowhere', path: 'tests/a', target: 'nothing' },
    { because: 'leads to a folder', path: 'tests/a', target: '../manifests' },
    { because: 'leads to itself', path: 'tests/a', target: 'a' },
  ])('is refused if it $because', async ({ path, target }) => {
    link('hop', '../secret');
    link('away', '../elsewhere');
    link(path, target);
    await expect(read()).rejects.toMatchObject({ reason: 'InputInvalid' });
  });

  test('to a file of the same folder is this file, by whatever name the folder is called', async () => {
    link('tests/a', '../manifests/a.yaml');
    link('../alias', 'bundle');
    const files = await readTree(join(outside, 'alias'), { parts: PARTS, ...LIMITS });
    expect([...files.values()].map(String)).toEqual(['manifests/a.yaml', 'manifests/a.yaml']);
  });
});

test.runIf(process.platform === 'linux')('a link to an open file that has no path any more is refused', async () => {
  const secret = join(outside, 'secret');
  const file = openSync(secret, 'r');
  rmSync(secret);
  link('tests/a', `/proc/self/fd/${file}`);
  await expect(read().finally(() => closeSync(file))).rejects.toMatchObject({ reason: 'InputInvalid' });
});

test('a pipe is refused, and not waited for', async () => {
  execFileSync('mkfifo', [join(folder, 'manifests/pipe')]);
  await expect(read()).rejects.toMatchObject({ reason: 'InputInvalid' });
});

test('a folder that is not there has no files', async () => {
  rmSync(folder, { recursive: true });
  expect(await read()).toEqual([]);
});

test.each([
  { because: 'version control keeps tokens there', path: '.git/config' },
  { because: 'it is that of a submodule', path: 'manifests/.git' },
  { because: 'vi has the file open', path: 'manifests/.a.yaml.swp' },
  { because: 'vi or Emacs has saved the file', path: 'manifests/a.yaml~' },
  { because: 'Emacs has saved it by itself', path: 'manifests/#a.yaml#' },
  { because: 'a run that was killed has left it', path: '.slipway-Ab3xYz/manifests/a.yaml' },
  { because: 'the Finder has shown the folder', path: 'tests/.DS_Store' },
])('$path is left out: $because', async ({ path }) => {
  write(path);
  expect(await read([''])).toEqual(['manifests/a.yaml']);
});

test('the lock of Emacs, which leads nowhere, is left out', async () => {
  link('manifests/.#a.yaml', 'ada@host.1:2');
  expect(await read()).toEqual(['manifests/a.yaml']);
});

test.each([
  { because: 'files', limits: { maxFiles: 1, maxBytes: 100 } },
  { because: 'bytes', limits: { maxFiles: 10, maxBytes: 20 } },
])('a folder with too many $because is refused', async ({ limits }) => {
  write('manifests/b.yaml');
  await expect(readTree(folder, limits)).rejects.toMatchObject({ reason: 'InputInvalid' });
});
