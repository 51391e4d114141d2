/** Catalogs made to break their reader, one case per row: each is refused by name, or read without harm. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import { byExtent } from '../e2e/lib/sample.ts';
import { buildIndex } from './index/build.ts';
import { openIndex, type CatalogIndex } from './index/open.ts';
import type { CatalogFile } from './tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'slipway-hostile-'));
let opened: CatalogIndex | undefined;
afterEach(() => {
  opened?.close();
  opened = undefined;
});
afterAll(() => rmSync(folder, { recursive: true }));

type Content = string | Uint8Array | Iterable<Uint8Array>;

async function read(content: Content | Readonly<Record<string, Content>>): Promise<CatalogIndex> {
  const isOne = typeof content === 'string' || content instanceof Uint8Array || Symbol.iterator in content;
  const files = Object.entries(isOne ? { 'catalog.json': content } : content).map(([path, one]): CatalogFile => ({
    path,
    content: typeof one === 'string' ? Buffer.from(one) : one,
  }));
  const target = join(folder, 'hostile.db');
  rmSync(target, { force: true });
  await buildIndex({ files, target });
  return (opened = openIndex(target));
}

function* repeated(text: string, count: number): Generator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let index = 0; index < count; index += 1) yield bytes;
}

function* inOrder(...parts: readonly Iterable<Uint8Array>[]): Generator<Uint8Array> {
  for (const part of parts) yield* part;
}

/** A bundle with these properties, or this text in place of its properties. */
function bundle(properties: unknown, name = 'gadget.v1.0.0', version = '1.0.0'): string {
  const identity = { type: 'olm.package', value: { packageName: 'gadget', version } };
  const all = Array.isArray(properties) ? [identity, ...(properties as unknown[])] : properties;
  return `${JSON.stringify({ schema: 'olm.bundle', package: 'gadget', name, image: 'r.example/g:1', properties: all })}\n`;
}

/** A channel with this entry again and again. */
function channel(entry: string, count: number): string {
  return `{"schema":"olm.channel","package":"gadget","name":"c","entries":[${`${entry},`.repeat(count - 1)}${entry}]}\n`;
}

function linesOf(index: CatalogIndex): string[] {
  return [...index.blobs()].map((line) => Buffer.from(line).toString().trimEnd());
}

const DEEP = 100_000;
const MERGES = Array.from({ length: 400 }, (_, n) => `a${n}: &a${n} {<<: [${n > 0 ? `*a${n - 1}` : '{x: 1}'}]}`);
const BOMB = Array.from(
  { length: 20 },
  (_, n) => `a${n}: &a${n} [${Array.from({ length: 9 }, () => (n > 0 ? `*a${n - 1}` : 'x')).join(',')}]`,
);

const LONG_INTEGERS = Array(20_000).fill('9'.repeat(400)).join(',');

const TOO_HEAVY = /package gadget takes more than \d+ bytes of memory/;

describe('hostile content that is refused by name, without retry', () => {
  interface Case {
    readonly because: string;
    readonly content: () => Content | Readonly<Record<string, Content>>;
    readonly says: RegExp;
    /** Takes seconds, and another case is of its class. */
    readonly isLong?: true;
  }
  const cases: readonly Case[] = [
    { because: 'aliases of aliases', content: () => `schema: x\n${BOMB.join('\n')}\n`, says: /more than .* values/ },
    { because: 'an alias inside of itself', content: () => 'schema: x\na: &a [*a]\n', says: /YAML cannot be read/ },
    { because: 'lists nested 100,000 deep', content: () => `{"schema":"x","a":${'['.repeat(DEEP)}`, says: /deeper/ },
    { because: 'objects nested 100,000 deep', content: () => '{"a":'.repeat(DEEP), says: /deeper/ },
    { because: 'YAML lists nested deep', content: () => `schema: x\na: ${'['.repeat(DEEP)}`, says: /YAML cannot be/ },
    { because: 'YAML maps nested by dashes', content: () => `a: ${'- '.repeat(DEEP)}`, says: /YAML cannot be read/ },
    {
      because: 'a text of 100 MB',
      content: () => inOrder(repeated('{"schema":"', 1), repeated('x'.repeat(1 << 20), 100)),
      says: /larger than/,
    },
    {
      because: 'a YAML text of 100 MB',
      content: () => inOrder(repeated('schema: ', 1), repeated('x'.repeat(1 << 20), 100)),
      says: /larger than/,
    },
    {
      because: 'empty YAML lines without end',
      content: () => repeated('\n'.repeat(1 << 16), 600),
      says: /white space/,
    },
    {
      because: 'YAML lines without end',
      content: () => inOrder(repeated('a: 1\n', 1), repeated('\n'.repeat(1 << 16), 600)),
      says: /larger than/,
      isLong: true,
    },
    {
      because: 'a text of 10 MB that is parsed',
      content: () => `{"schema":"olm.package","name":"gadget","description":"\u{1F600}${'x'.repeat(10 << 20)}"}`,
      says: /more than 8388608 bytes beside its manifests/,
    },
    {
      because: 'a YAML text of 10 MB',
      content: () => `schema: olm.package\ndescription: "\u{1F600}${'x'.repeat(10 << 20)}"\n`,
      says: /larger than 8388608 bytes/,
    },
    { because: 'white space without end', content: () => repeated(' '.repeat(1 << 16), 3), says: /white space/ },
    {
      because: 'a million documents',
      content: () => repeated('{"schema":"x"}\n'.repeat(1000), 1000),
      says: /more than 100000 documents/,
    },
    {
      because: 'a million keys',
      content: () => inOrder(repeated('{"schema":"x"', 1), repeated(',"k":1'.repeat(1000), 1000), repeated('}', 1)),
      says: /more than 500000 values/,
    },
    {
      because: 'millions of empty lists in a property',
      content: () => bundle('?').replace('"?"', `[{"type":"a","value":[${'[],'.repeat(1_000_000)}0]}]`),
      says: /more than 500000 values/,
    },
    {
      because: 'a number of 10,000 digits',
      content: () => `{"schema":"x","n":${'9'.repeat(10_000)}}`,
      says: /longer than 1024/,
    },
    { because: 'a NUL between documents', content: () => '{"schema":"x"}\0{"schema":"y"}', says: /not a JSON object/ },
    {
      because: 'infinity, which JSON does not have',
      content: () => 'schema: x\na: .inf\n',
      says: /YAML cannot be read/,
    },
    { because: 'not a number', content: () => 'schema: x\na: .nan\n', says: /YAML cannot be read/ },
    {
      because: 'YAML that is no UTF-8',
      content: () => Buffer.concat([Buffer.from('schema: x\na: '), Buffer.of(0xff)]),
      says: /UTF-8/,
    },
    {
      because: 'one broken document of several',
      content: () => 'schema: x\n---\na: [\n---\nschema: y\n',
      says: /YAML/,
    },
    {
      because: 'one broken file of several',
      content: () => ({ 'a.json': '{"schema":"x"}', 'b.json': '{"schema"', 'c.json': '{"schema":"y"}' }),
      says: /b\.json/,
    },
    { because: 'a List of Kubernetes', content: () => '{"kind":"List","items":[{"schema":"x"}]}', says: /no schema/ },
    { because: 'a name of 10,000 characters', content: () => bundle([], 'n'.repeat(10_000)), says: /longer than/ },
    {
      because: 'a package whose properties do not fit into memory',
      content: () => repeated(bundle([{ type: 'a', value: 'x'.repeat(1 << 20) }]), 40),
      says: TOO_HEAVY,
    },
    {
      because: 'a package with a million empty objects',
      content: () => repeated(bundle([{ type: 'a', value: Array.from({ length: 200_000 }, () => ({})) }]), 6),
      says: TOO_HEAVY,
    },
    {
      because: 'a package with 120,000 integers of 400 digits',
      content: () => repeated(bundle('?').replace('"?"', `[{"type":"a","value":[${LONG_INTEGERS}]}]`), 6),
      says: TOO_HEAVY,
      isLong: true,
    },
    {
      because: 'a package with 300,000 entries of one bundle',
      content: () => repeated(channel('{"name":"a"}', 100_000), 3),
      says: TOO_HEAVY,
    },
    {
      because: 'a package whose entries skip a million bundles',
      content: () => repeated(channel(`{"name":"a","skips":[${'"abcd",'.repeat(999)}"abcd"]}`, 400), 3),
      says: TOO_HEAVY,
    },
    {
      because: 'a package with a thousand long skipRanges',
      content: () => channel(`{"name":"a","skipRange":"${'1.x || '.repeat(140)}2.x"}`, 1000),
      says: TOO_HEAVY,
    },
    {
      because: 'a package with a thousand long versions',
      content: () => repeated(bundle([], 'gadget.v1.0.0', `1.0.0-${'a.'.repeat(500)}a`), 1000),
      says: TOO_HEAVY,
    },
    {
      because: 'more patterns than files',
      content: () => ({ '.indexignore': 'a*\n'.repeat(100_000) }),
      says: /more than 1000 patterns/,
    },
    {
      because: 'a pattern that traverses folders again and again',
      content: () => ({ '.indexignore': `${'**/a/'.repeat(30)}b` }),
      says: /wildcards/,
    },
    { because: 'a path that leads out', content: () => ({ '../a.json': '' }), says: /path is malformed/ },
    { because: 'a path that begins at the root', content: () => ({ '/a.json': '' }), says: /path is malformed/ },
    { because: 'a file in 1,000 folders', content: () => ({ [`${'d/'.repeat(1000)}a`]: '' }), says: /32 folders/ },
  ];

  const all = byExtent({ all: cases, sample: cases.filter(({ isLong }) => isLong !== true) });

  it.each(all)('$because', async ({ content, says }) => {
    const error: unknown = await read(content()).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(ReasonedError);
    expect(error).toMatchObject({ reason: 'CatalogInvalid', retry: 'never' });
    expect((error as ReasonedError).message).toMatch(says);
    expect((error as ReasonedError).message.length).toBeLessThan(600);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('hostile content that is read without harm', () => {
  const SPECIAL = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf'];

  it.each(SPECIAL)('%s as the name of a package, a channel, a bundle, a field and a type', async (name) => {
    const index = await read(
      [
        `{"schema":"olm.package","name":"${name}","defaultChannel":"${name}","${name}":{"polluted":true}}`,
        `{"schema":"olm.channel","package":"${name}","name":"${name}","entries":[{"name":"${name}","${name}":1}]}`,
        `{"schema":"olm.bundle","package":"${name}","name":"${name}","image":"i","properties":[`,
        `{"type":"${name}","value":{"${name}":{"polluted":true}}},`,
        `{"type":"olm.package","value":{"packageName":"${name}","version":"1.0.0"}},`,
        `{"type":"olm.gvk","value":{"group":"${name}","kind":"${name}","version":"${name}"}}]}`,
      ].join(''),
    );
    expect(index.packages()).toEqual([{ name, defaultChannel: name, channels: 1, bundles: 1 }]);
    expect(index.package(name)?.channels[0]?.entries).toEqual([{ name, skips: [] }]);
    expect(index.package(name)?.bundles[0]?.version).toBe('1.0.0');
    expect(index.providersOf({ group: name, kind: name, version: name })).toEqual([name]);
    expect(index.package('other')).toBeUndefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(linesOf(index)[0]).toContain(`"${name}":{"polluted":true}`);
  });

  interface Case {
    readonly because: string;
    readonly content: string | Uint8Array;
    readonly line: string;
  }
  const cases: readonly Case[] = [
    {
      because: 'of duplicate keys all stay',
      content: '{"schema":"x","a":1,"a":2}',
      line: '{"schema":"x","a":1,"a":2}',
    },
    {
      because: 'of duplicate keys in YAML the last one stays',
      content: 'schema: x\na: 1\na: 2\n',
      line: '{"schema":"x","a":2}',
    },
    { because: 'YAML 1.1 booleans', content: 'schema: x\na: NO\nb: on\n', line: '{"schema":"x","a":false,"b":true}' },
    {
      because: 'octal numbers, and no sexagesimal ones',
      content: 'schema: x\na: 017\nb: 1:30\n',
      line: '{"schema":"x","a":15,"b":"1:30"}',
    },
    { because: 'dates stay texts', content: 'schema: x\na: 2024-01-01\n', line: '{"schema":"x","a":"2024-01-01"}' },
    {
      because: 'integers beyond 2^53',
      content: '{"schema":"x","a":9007199254740993}',
      line: '{"schema":"x","a":9007199254740993}',
    },
    {
      because: 'integers beyond 2^53 in YAML',
      content: 'schema: x\na: 9007199254740993\n',
      line: '{"schema":"x","a":9007199254740993}',
    },
    { because: 'tags are no code', content: 'schema: x\na: !!js/function "f()"\n', line: '{"schema":"x","a":"f()"}' },
    { because: 'a byte order mark', content: '\uFEFF{"schema":"x"}', line: '{"schema":"x"}' },
    { because: 'tabs and CRLF', content: '{\t"schema":\r\n"x"}\r\n', line: '{"schema":"x"}' },
    {
      because: 'half a surrogate pair stays an escape',
      content: String.raw`{"schema":"x","a":"\ud800"}`,
      line: String.raw`{"schema":"x","a":"\ud800"}`,
    },
    {
      because: 'bytes that are no UTF-8 are replaced',
      content: Buffer.concat([Buffer.from('{"schema":"x","a":"'), Buffer.of(0xc0, 0x80), Buffer.from('"}')]),
      line: '{"schema":"x","a":"\uFFFD\uFFFD"}',
    },
    {
      because: 'keys like numbers keep their place',
      content: '{"schema":"x","b":1,"2":1}',
      line: '{"schema":"x","b":1,"2":1}',
    },
    { because: 'an exponent is no infinity', content: '{"schema":"x","a":1e999}', line: '{"schema":"x","a":1e999}' },
  ];

  it.each(cases)('$because', async ({ content, line }) => {
    expect(linesOf(await read(content))).toEqual([line]);
  });

  it.each([
    { because: 'a NUL', name: 'a\u0000b' },
    { because: 'half a surrogate pair', name: 'a\ud800b' },
    { because: 'control characters', name: 'a\u001b[31m\u202eb' },
    { because: 'characters with a meaning in SQL', name: `a'; DROP TABLE blobs; --%_"` },
    { because: 'characters with a meaning in paths', name: '../../a' },
  ])('a package whose name contains $because is found under its name', async ({ name }) => {
    const index = await read(JSON.stringify({ schema: 'olm.package', name, defaultChannel: 'c' }));
    expect(index.packages()).toHaveLength(1);
    expect(index.package(index.packages()[0]!.name)?.defaultChannel).toBe('c');
    expect([...index.blobs({ name })]).toHaveLength(1);
    expect(index.package('a')).toBeUndefined();
  });

  it('an icon of 7 MB is served, and is not part of the parsed package', async () => {
    const icon = { base64data: 'A'.repeat(7 << 20), mediatype: 'image/svg+xml' };
    const index = await read(JSON.stringify({ schema: 'olm.package', name: 'gadget', icon }));
    expect(JSON.stringify(index.package('gadget')).length).toBeLessThan(200);
    expect(index.size()).toBeGreaterThan(7 << 20);
  });

  it('nested merge keys cost no more than their keys', async () => {
    expect(linesOf(await read(`schema: x\n${MERGES.join('\n')}\n`))).toHaveLength(1);
  });

  it('a bundle with 200,000 values in its manifests is read', async () => {
    const manifests = { type: 'olm.csv.metadata', value: { annotations: Array.from({ length: 200_000 }, () => []) } };
    const index = await read(bundle([manifests]).repeat(4));
    expect(index.counts.bundles).toBe(4);
    expect(index.package('gadget')?.bundles[0]?.properties).toHaveLength(1);
  });

  it('an API whose name is too long for any cluster has no providers', async () => {
    const kind = 'K'.repeat(10_000);
    const index = await read(bundle([{ type: 'olm.gvk', value: { group: 'g', version: 'v1', kind } }]));
    expect(index.providersOf({ group: 'g', version: 'v1', kind })).toEqual([]);
    expect(index.package('gadget')?.bundles[0]?.properties).toHaveLength(2);
  });

  it('100,000 malformed entries are one problem', async () => {
    const index = await read(
      `{"schema":"olm.channel","package":"gadget","name":"c","entries":[${'{},'.repeat(100_000)}7]}`,
    );
    expect(index.package('gadget')?.problems).toEqual([
      'channel c: entries has an item that is not an object',
      'channel c: an entry has no name',
    ]);
  });

  it.each([
    { because: 'leading zeros', version: '01.0.0' },
    { because: 'a number of 300 digits', version: `${'9'.repeat(300)}.0.0` },
    { because: 'digits of another script', version: '١.٠.٠' },
    { because: 'an empty text', version: '' },
    { because: 'a pre-release with a leading zero', version: '1.0.0-01' },
  ])('a version with $because is kept as it is', async ({ version }) => {
    const properties = [{ type: 'olm.package', value: { packageName: 'gadget', version } }];
    const index = await read(
      `${JSON.stringify({ schema: 'olm.bundle', package: 'gadget', name: 'g', properties })}${bundle([])}`,
    );
    expect(index.package('gadget')?.bundles.map((one) => one.version)).toEqual([version, '1.0.0']);
  });

  it('a pattern with many wildcards is matched against a long name quickly', async () => {
    const index = await read({ '.indexignore': '*a*a*a*a*a*a*a*b\n', [`${'a'.repeat(4000)}.json`]: '{"schema":"x"}' });
    expect(index.counts.blobs).toBe(1);
  });

  it('a graph in which each of 600 versions skips all earlier ones is read', async () => {
    const entries = Array.from({ length: 600 }, (_, n) => ({
      name: `v${n}`,
      skips: Array.from({ length: n }, (_unused, skipped) => `v${skipped}`),
    }));
    const index = await read(JSON.stringify({ schema: 'olm.channel', package: 'gadget', name: 'c', entries }));
    expect(index.package('gadget')?.channels[0]?.entries[599]?.skips).toHaveLength(599);
  });
});
