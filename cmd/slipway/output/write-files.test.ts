/** Files of authors are changed all or not at all, and never through a link. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeFiles } from './write-files.ts';

let folder = '';
/** Where links lead to. */
let outside = '';
beforeEach(() => {
  [folder, outside] = ['in', 'out'].map((name) => mkdtempSync(join(tmpdir(), `slipway-write-${name}-`))) as [
    string,
    string,
  ];
  writeFileSync(join(folder, 'old.yaml'), 'old');
  writeFileSync(join(outside, 'kept'), 'kept');
});
afterEach(() => {
  for (const one of [folder, outside]) rmSync(one, { recursive: true, force: true });
});

const text = (path: string): string => readFileSync(join(folder, path), 'utf8');
const LONG = 'x'.repeat(300); // no file system has such names

test('writes new files and existing ones, removes others, and leaves nothing else behind', async () => {
  writeFileSync(join(folder, 'gone.yaml'), '');
  await writeFiles(
    folder,
    new Map([
      ['old.yaml', 'new'],
      ['deep/er/new.yaml', 'made'],
      ['gone.yaml', undefined],
    ]),
  );
  expect([text('old.yaml'), text('deep/er/new.yaml')]).toEqual(['new', 'made']);
  expect(readdirSync(folder).toSorted()).toEqual(['deep', 'old.yaml']);
});

test('an existing file keeps its mode', async () => {
  chmodSync(join(folder, 'old.yaml'), 0o600);
  await writeFiles(folder, new Map([['old.yaml', 'new']]));
  expect(statSync(join(folder, 'old.yaml')).mode & 0o777).toBe(0o600);
});

test.skipIf(process.getuid?.() !== 0)(
  'an existing file keeps its owner, as root in a container may be another',
  async () => {
    chownSync(join(folder, 'old.yaml'), 1234, 2345);
    chmodSync(join(folder, 'old.yaml'), 0o640);
    await writeFiles(folder, new Map([['old.yaml', 'new']]));
    const { uid, gid, mode } = statSync(join(folder, 'old.yaml'));
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 1234, gid: 2345, mode: 0o640 });
  },
);

test.each(['EXDEV', 'EBUSY'])('what is mounted by itself is written in place (%s)', async (code) => {
  await writeFiles(folder, new Map([['old.yaml', 'new']]), () =>
    Promise.reject(Object.assign(new Error(code), { code })),
  );
  expect([text('old.yaml'), ...readdirSync(folder)]).toEqual(['new', 'old.yaml']);
});

test('a move that fails otherwise is an error', async () => {
  const refuse = () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
  await expect(writeFiles(folder, new Map([['old.yaml', 'new']]), refuse)).rejects.toThrow('EPERM');
  expect([text('old.yaml'), ...readdirSync(folder)]).toEqual(['old', 'old.yaml']);
});

test('if one file cannot be written, no file changes', async () => {
  const changes = new Map([
    ['old.yaml', 'new'],
    ['new.yaml', 'new'],
    [LONG, 'x'],
  ]);
  await expect(writeFiles(folder, changes)).rejects.toThrow('ENAMETOOLONG');
  expect([text('old.yaml'), ...readdirSync(folder)]).toEqual(['old', 'old.yaml']);
});

test.each<{ because: string; link: string; target: () => string; path: string }>([
  { because: 'the file is a link', link: 'a', target: () => join(outside, 'kept'), path: 'a' },
  { because: 'the file is a link to nothing', link: 'a', target: () => join(outside, 'made'), path: 'a' },
  { because: 'its folder is a link', link: 'a', target: () => outside, path: 'a/kept' },
  { because: 'a folder above it is a link', link: 'a', target: () => outside, path: 'a/deep/made' },
  { because: 'the link is in a folder', link: 'b/a', target: () => outside, path: 'b/a/made' },
])('nothing is written through links: $because', async ({ link, target, path }) => {
  mkdirSync(join(folder, 'b'));
  symlinkSync(target(), join(folder, link));
  const changes = new Map([
    ['old.yaml', 'new'],
    [path, 'changed'],
  ]);
  await expect(writeFiles(folder, changes)).rejects.toMatchObject({ reason: 'InputInvalid' });
  expect(readdirSync(outside)).toEqual(['kept']);
  expect([readFileSync(join(outside, 'kept'), 'utf8'), text('old.yaml')]).toEqual(['kept', 'old']);
});

test('no command writes files in another way', () => {
  const commands = join(import.meta.dirname, '..');
  const writing = readdirSync(commands, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('testing/'))
    .filter((path) =>
      /\b(writeFile|writeFileSync|createWriteStream|appendFile)\b[^;]*from 'node:fs['/]/.test(read(commands, path)),
    );
  // A report, which may go to /dev/stdout, and a new file among the temporary ones.
  expect(writing.toSorted()).toEqual(['bundle/trial/test.ts', 'ui/open-browser.ts']);
});

function read(...path: readonly string[]): string {
  return readFileSync(join(...path), 'utf8');
}
