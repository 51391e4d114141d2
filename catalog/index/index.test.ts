import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import { DEFAULT_LIMITS, type CatalogLimits } from '../limits.ts';
import type { CatalogFiles } from '../tree.ts';
import { buildIndex } from './build.ts';
import { buildIndexInWorker } from './in-worker.ts';
import { openIndex, type CatalogIndex } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'slipway-index-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

function newPath(): string {
  count += 1;
  return join(folder, `${count}.db`);
}

function filesFrom(texts: Readonly<Record<string, string>>): CatalogFiles {
  return Object.entries(texts).map(([path, text]) => ({ path, content: Buffer.from(text) }));
}

async function indexOf(
  texts: Readonly<Record<string, string>>,
  limits: CatalogLimits = DEFAULT_LIMITS,
): Promise<CatalogIndex> {
  const target = newPath();
  await buildIndex({ files: filesFrom(texts), target, limits });
  return openIndex(target);
}

function textsOf(lines: Iterable<Uint8Array>): string[] {
  return [...lines].map((line) => Buffer.from(line).toString());
}

function lines(...documents: readonly object[]): string {
  return documents.map((document) => `${JSON.stringify(document)}\n`).join('');
}

function bundle(name: string, version: string, more: object = {}): object {
  const identity = { type: 'olm.package', value: { packageName: 'gadget', version } };
  const api = { type: 'olm.gvk', value: { group: 'example.com', kind: 'Gadget', version: 'v1' } };
  return {
    schema: 'olm.bundle',
    name,
    package: 'gadget',
    image: `registry.example/gadget:${version}`,
    properties: [identity, api],
    ...more,
  };
}

const GADGET = lines(
  { schema: 'olm.package', name: 'gadget', defaultChannel: 'stable', description: 'Makes gadgets.' },
  {
    schema: 'olm.channel',
    name: 'stable',
    package: 'gadget',
    entries: [{ name: 'gadget.v1' }, { name: 'gadget.v2', replaces: 'gadget.v1' }],
  },
  bundle('gadget.v1', '1.0.0'),
  bundle('gadget.v2', '2.0.0'),
  {
    schema: 'olm.deprecations',
    package: 'gadget',
    entries: [{ reference: { schema: 'olm.bundle', name: 'gadget.v1' }, message: 'old' }],
  },
  { schema: 'custom', package: 'gadget', anything: { at: 'all' } },
);

describe('the answers of an index', () => {
  it('an index has everything about a package', async () => {
    const index = await indexOf({ 'catalog.json': GADGET });
    expect(index.counts).toEqual({ packages: 1, channels: 1, bundles: 2, blobs: 6 });
    expect(index.packages()).toEqual([
      { name: 'gadget', defaultChannel: 'stable', description: 'Makes gadgets.', channels: 1, bundles: 2 },
    ]);
    expect(index.package('gadget')).toMatchObject({
      name: 'gadget',
      defaultChannel: 'stable',
      channels: [{ name: 'stable', entries: [{ name: 'gadget.v1' }, { name: 'gadget.v2', replaces: 'gadget.v1' }] }],
      bundles: [
        { name: 'gadget.v1', version: '1.0.0' },
        { name: 'gadget.v2', version: '2.0.0' },
      ],
      deprecations: [{ schema: 'olm.bundle', name: 'gadget.v1', message: 'old' }],
    });
    expect(index.package('gadget')).not.toHaveProperty('problems');
    expect(index.package('other')).toBeUndefined();
    index.close();
  });

  it('an index counts the values that were left out, and names the first ones, in the order of the files that count', async () => {
    const bad = (name: string): string =>
      lines(bundle(name, '1.0.0', { image: [] }), bundle(`${name}x`, '1', { image: {} }));
    const index = await indexOf({
      'b/catalog.json': bad('b'),
      'ignored/catalog.json': bad('ignored'),
      'a.json': bad('a'),
      '.indexignore': 'ignored\n',
    });
    expect(index.counts.leftOut).toEqual({
      count: 4,
      first: ['a', 'ax', 'b'].map((name) => `bundle ${name} of package gadget: image of the bundle is not a text`),
    });
    index.close();
  });

  it('an index lists the packages that provide an API, each once, in the order of the catalog', async () => {
    const index = await indexOf({
      'a.json': GADGET.replaceAll('gadget', 'widget'),
      'b.json': GADGET,
      'c.json': GADGET.replaceAll('gadget', 'apparatus'),
    });
    const api = { group: 'example.com', version: 'v1', kind: 'Gadget' };
    expect(index.providersOf(api)).toEqual(['widget', 'gadget', 'apparatus']);
    expect(index.providersOf({ ...api, version: 'v2' })).toEqual([]);
    index.close();
  });

  it('an index lists the documents in the order of the files, whatever order they arrived in', async () => {
    const index = await indexOf({
      'b.json': lines({ schema: 'b' }),
      'a/z.json': lines({ schema: 'a', n: 1 }, { schema: 'a', n: 2 }),
    });
    expect(textsOf(index.blobs())).toEqual(['{"schema":"a","n":1}\n', '{"schema":"a","n":2}\n', '{"schema":"b"}\n']);
    index.close();
  });

  it.each([
    { because: 'by schema', query: { schema: 'olm.bundle' }, found: 2 },
    { because: 'by package, which a package document itself does not have', query: { package: 'gadget' }, found: 5 },
    { because: 'by name', query: { name: 'gadget' }, found: 1 },
    { because: 'by all of them', query: { schema: 'olm.bundle', package: 'gadget', name: 'gadget.v2' }, found: 1 },
    { because: 'by a name that does not exist', query: { name: 'nothing' }, found: 0 },
    { because: 'empty values match everything', query: { schema: '', package: '', name: '' }, found: 6 },
  ])('documents are selected $because', async ({ query, found }) => {
    const index = await indexOf({ 'catalog.json': GADGET });
    const selected = textsOf(index.blobs(query));
    expect(selected).toHaveLength(found);
    expect(index.size(query)).toBe(selected.join('').length);
    index.close();
  });

  it.each([
    { because: 'all are asked for', where: '' },
    { because: 'those of a schema', where: "WHERE blobs.schema = 'a'" },
    { because: 'those of a schema by their name', where: "WHERE blobs.schema = 'a' AND blobs.name = 'b'" },
    { because: 'those of a package', where: "WHERE blobs.package = 'a'" },
    { because: 'those of a package and a schema', where: "WHERE blobs.schema = 'a' AND blobs.package = 'b'" },
  ])('the size of many documents costs no read of their rows: $because', async ({ where }) => {
    const { path } = await indexOf({ 'gadget.json': GADGET });
    using database = new DatabaseSync(path, { readOnly: true });
    const plan = database.prepare(`EXPLAIN QUERY PLAN SELECT ifnull(sum(length + 1), 0) FROM blobs ${where}`).all();
    expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining('USING COVERING INDEX')]);
  });

  it('an index returns documents larger than a chunk, and many of them', async () => {
    const documents = Array.from({ length: 50 }, (_, n) => ({
      schema: 'x',
      name: `n${n}`,
      text: String(n).repeat(n * 4000),
    }));
    const index = await indexOf({ 'catalog.json': lines(...documents) });
    expect(textsOf(index.blobs()).join('')).toBe(lines(...documents));
    expect(textsOf(index.blobs({ name: 'n49' }))).toEqual([lines(documents[49]!)]);
    index.close();
  });

  it("an index keeps integers beyond 2^53 in bundles' properties", async () => {
    const index = await indexOf({
      'catalog.json':
        '{"schema":"olm.bundle","name":"b","package":"p","properties":[{"type":"x","value":9007199254740993}]}',
    });
    expect(index.package('p')?.bundles[0]?.properties).toEqual([{ type: 'x', value: 9007199254740993n }]);
    index.close();
  });
});

describe('catalogs that break their own rules are served as far as possible', () => {
  it('a package without a package document exists by its bundles', async () => {
    const index = await indexOf({ 'catalog.json': lines(bundle('gadget.v1', '1.0.0')) });
    expect(index.packages()).toEqual([{ name: 'gadget', defaultChannel: '', channels: 0, bundles: 1 }]);
    index.close();
  });

  it('of two bundles of one name the first counts, and the other is reported', async () => {
    const index = await indexOf({ 'catalog.json': lines(bundle('b', '1.0.0'), bundle('b', '2.0.0')) });
    const found = index.package('gadget');
    expect(found?.bundles.map(({ version }) => version)).toEqual(['1.0.0']);
    expect(found?.problems).toHaveLength(1);
    index.close();
  });

  it('names with a meaning in JavaScript are ordinary names', async () => {
    const index = await indexOf({
      'catalog.json': lines(
        { schema: 'olm.package', name: '__proto__' },
        { schema: 'olm.channel', name: 'constructor', package: '__proto__', entries: [] },
      ),
    });
    expect(index.package('__proto__')?.channels.map(({ name }) => name)).toEqual(['constructor']);
    expect(index.package('constructor')).toBeUndefined();
    index.close();
  });

  it('a malformed channel leaves the others alone', async () => {
    const index = await indexOf({
      'catalog.json': lines(
        { schema: 'olm.channel', name: 'bad', package: 'p', entries: 'none' },
        { schema: 'olm.channel', name: 'good', package: 'p', entries: [{ name: 'b' }] },
      ),
    });
    expect(index.package('p')?.channels.map(({ entries }) => entries.length)).toEqual([0, 1]);
    expect(index.package('p')?.problems).toEqual(['channel bad: entries is not a list']);
    index.close();
  });
});

describe('values that are no text', () => {
  it('a number in place of a version or a default channel is left out, and named', async () => {
    const index = await indexOf({
      'a.json': lines(
        { schema: 'olm.package', name: 'p', defaultChannel: 4.1 },
        {
          schema: 'olm.bundle',
          package: 'p',
          name: 'p.v1',
          properties: [{ type: 'olm.package', value: { version: 1 } }],
        },
      ),
    });
    expect(index.package('p')).toMatchObject({
      defaultChannel: '',
      problems: [
        'package p: defaultChannel of the package is not a text; put the number in quotes',
        'bundle p.v1: version of the property olm.package is not a text; put the number in quotes',
      ],
    });
    index.close();
  });
});

describe('ignored files', () => {
  it('an ignored file may have any content, even if its ignore file comes later', async () => {
    const index = await indexOf({
      'README.md': 'Read me: [',
      'catalog.json': GADGET,
      'docs/x.json': lines(bundle('x', '9.0.0')),
      '.indexignore': '*.md\ndocs\n',
    });
    expect(index.counts).toEqual({ packages: 1, channels: 1, bundles: 2, blobs: 6 });
    expect(index.providersOf({ group: 'example.com', version: 'v1', kind: 'Gadget' })).toEqual(['gadget']);
    expect(textsOf(index.blobs()).join('')).toBe(GADGET);
    index.close();
  });

  it('a file is included again by an ignore file before it; one that comes too late is an error, and no omission', async () => {
    const patterns = { '.indexignore': '*\n', 'x/.indexignore': '!x.json\n' };
    const index = await indexOf({ ...patterns, 'x/x.json': GADGET });
    expect(index.counts.packages).toBe(1);
    index.close();
    const late = { '.indexignore': '*\n', 'x/x.json': GADGET, 'x/.indexignore': '!x.json\n' };
    await expect(indexOf(late)).rejects.toMatchObject({ reason: 'CatalogInvalid' });
  });

  it('an empty catalog is a catalog', async () => {
    const index = await indexOf({});
    expect(index.counts).toEqual({ packages: 0, channels: 0, bundles: 0, blobs: 0 });
    expect([...index.blobs()]).toEqual([]);
    index.close();
  });
});

describe('content that cannot be parsed leaves no file behind', () => {
  const limits: CatalogLimits = { ...DEFAULT_LIMITS, maxTotalBytes: 2000, maxDocuments: 3, maxFiles: 2 };
  const cases = [
    { because: 'broken JSON', files: { 'catalog.json': `${GADGET}{"schema":` }, limits: DEFAULT_LIMITS },
    { because: 'a document without a schema', files: { 'a.json': '{"name":"x"}' }, limits: DEFAULT_LIMITS },
    { because: 'a text file that is not ignored', files: { 'README.md': 'Read me' }, limits: DEFAULT_LIMITS },
    { because: 'too many bytes', files: { 'a.json': ' '.repeat(3000) }, limits },
    {
      because: 'too many documents',
      files: { 'a.json': lines(...Array.from({ length: 4 }, () => ({ schema: 'x' }))) },
      limits,
    },
    { because: 'too many files', files: { a: '', b: '', c: '' }, limits },
    { because: 'a huge ignore file', files: { '.indexignore': '#'.repeat((1 << 20) + 1) }, limits: DEFAULT_LIMITS },
  ];

  it.each(cases)('$because', async ({ files, limits }) => {
    await expectInvalid((target) => buildIndex({ files: filesFrom(files), target, limits }));
  });

  it.each(cases)('an index is refused in a worker because of $because', async ({ files, limits }) => {
    await expectInvalid((target) => buildIndexInWorker({ files: filesFrom(files), target, limits }));
  });

  async function expectInvalid(build: (target: string) => Promise<unknown>): Promise<void> {
    const target = newPath();
    const error: unknown = await build(target).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(ReasonedError);
    expect(error).toMatchObject({ reason: 'CatalogInvalid', retry: 'never' });
    expect(readdirSync(folder).filter((name) => join(folder, name) === target || name.includes('partial'))).toEqual([]);
  }

  it('of several defects, that of the first file is reported', async () => {
    const files = filesFrom({ 'z.json': '{', 'a.json': '{' });
    await expect(buildIndex({ files, target: newPath() })).rejects.toThrow(/a\.json/);
  });
});

describe('building in a worker thread', () => {
  it('an index built in a worker equals one built in this thread', async () => {
    const [here, there] = [newPath(), newPath()];
    const files = { 'a.json': GADGET, 'b.yaml': 'schema: custom\nname: x\n', '.indexignore': '' };
    const counts = await buildIndex({ files: filesFrom(files), target: here });
    expect(await buildIndexInWorker({ files: filesFrom(files), target: there })).toEqual(counts);
    expect(readFileSync(there).equals(readFileSync(here))).toBe(true);
  });

  it('a worker takes content larger than all slots together, in pieces of any size', async () => {
    const text = lines(
      ...Array.from({ length: 40 }, (_, n) => ({ schema: 'x', name: `n${n}`, text: 'y'.repeat(100_000) })),
    );
    const content = (async function* pieces() {
      for (let at = 0; at < text.length; at += 700_001) yield Buffer.from(text.slice(at, at + 700_001));
    })();
    const target = newPath();
    expect(await buildIndexInWorker({ files: [{ path: 'a.json', content }], target })).toMatchObject({ blobs: 40 });
    const index = openIndex(target);
    expect(textsOf(index.blobs()).join('')).toBe(text);
    index.close();
  });

  it('a worker ends when it is aborted, and leaves no file behind', async () => {
    const abort = new AbortController();
    const target = newPath();
    const content = (async function* endless() {
      yield Buffer.from(lines({ schema: 'x' }));
      abort.abort(new Error('enough'));
      await new Promise(() => undefined);
    })();
    await expect(
      buildIndexInWorker({ files: [{ path: 'a.json', content }], target, signal: abort.signal }),
    ).rejects.toThrow('enough');
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('a worker ends when it is silent for too long', async () => {
    const target = newPath();
    const worker = new URL('data:text/javascript,setInterval(() => {}, 1000)');
    const files = filesFrom({ 'a.json': GADGET });
    const error: unknown = await buildIndexInWorker({ files, target, worker, stallSeconds: 0.05 }).catch(
      (failure: unknown) => failure,
    );
    expect(error).toMatchObject({ reason: 'CatalogInvalid', retry: 'never' });
  });

  it('a worker ends when a document needs more memory than allowed', async () => {
    const target = newPath();
    const worker = new URL(
      'data:text/javascript,const kept = []; for (;;) kept.push(new Array(1e5).fill(kept.length));',
    );
    const files = filesFrom({ 'a.json': GADGET });
    const error: unknown = await buildIndexInWorker({ files, target, worker }).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ reason: 'CatalogInvalid', retry: 'never' });
  });

  it('an error of the source is passed on from a worker', async () => {
    const content = (async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"schema":"x"}');
      throw new Error('connection lost');
    })();
    await expect(buildIndexInWorker({ files: [{ path: 'a.json', content }], target: newPath() })).rejects.toThrow(
      'connection lost',
    );
  });
});

describe('a damaged index file is detected', () => {
  async function sound(): Promise<string> {
    const target = newPath();
    await buildIndex({ files: filesFrom({ 'catalog.json': GADGET.repeat(40) }), target });
    return target;
  }

  it.each([
    { because: 'it is cut off', damage: (path: string) => truncateSync(path, readFileSync(path).length - 4096) },
    { because: 'it is empty', damage: (path: string) => truncateSync(path, 0) },
    { because: 'one bit is wrong', damage: flipBit },
    { because: 'it is another file', damage: (path: string) => writeFileSync(path, 'not a database at all') },
    { because: 'it is missing', damage: (path: string) => rmSync(path) },
  ])('$because', async ({ damage }) => {
    const path = await sound();
    damage(path);
    expect(() => openIndex(path)).toThrow(ReasonedError);
    expect(catchError(() => openIndex(path))).toMatchObject({ reason: 'CatalogUnavailable', retry: 'backoff' });
  });

  it('later damage is reported by the read that meets it', async () => {
    const path = await sound();
    const copy = newPath();
    copyFileSync(path, copy);
    const bytes = readFileSync(copy);
    bytes.fill(0xee, 4096);
    writeFileSync(copy, bytes);
    const read = (): unknown => {
      const index = openIndex(copy, { verify: false });
      return [...index.blobs()];
    };
    expect(catchError(read)).toMatchObject({ reason: 'CatalogUnavailable' });
  });

  function flipBit(path: string): void {
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(path, bytes);
  }

  function catchError(read: () => unknown): unknown {
    try {
      return read();
    } catch (error) {
      return error;
    }
  }
});
