import { randomBytes } from 'node:crypto';
import { deflateRawSync, gzipSync, zstdCompressSync, constants } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byExtent, runsOf } from '../e2e/lib/sample.ts';
import { ReasonedError } from '../api/errors.ts';
import { noUsage, readLayer } from './archive.ts';
import { collectBytes } from './bytes.ts';
import { BUNDLE_LIMITS, CATALOG_LIMITS } from './image.ts';
import type { ArchiveLimits } from './members.ts';
import { forgeTar, type ForgedMember, pax } from './testing/tar-forge.ts';
import { buildTar } from './tar-writer.ts';

const GZIP = 'application/vnd.oci.image.layer.v1.tar+gzip';
const ZSTD = 'application/vnd.oci.image.layer.v1.tar+zstd';
const PLAIN = 'application/vnd.oci.image.layer.v1.tar';
const DOCKER_GZIP = 'application/vnd.docker.image.rootfs.diff.tar.gzip';
const DOCKER_PLAIN = 'application/vnd.docker.image.rootfs.diff.tar';

interface ReadOptions {
  readonly folders?: readonly string[];
  readonly limits?: Partial<ArchiveLimits>;
  readonly mediaType?: string;
  readonly chunkBytes?: number;
}

/** Reads a layer to its end: `file manifests/a=text`, `folder manifests/d`, `whiteout manifests/x`. */
async function read(bytes: Uint8Array, options: ReadOptions = {}): Promise<string[]> {
  const { folders = ['manifests'], limits, mediaType, chunkBytes = 1 << 16 } = options;
  const rules = {
    origin: { what: 'the layer', byDigest: true },
    folders,
    limits: { ...BUNDLE_LIMITS, ...limits },
    usage: noUsage(),
    ...(mediaType !== undefined && { mediaType }),
  };
  const seen: string[] = [];
  for await (const entry of readLayer(inChunks(bytes, chunkBytes), rules)) {
    const content = entry.kind === 'file' ? `=${(await collectBytes(entry.chunks)).toString('utf8')}` : '';
    seen.push(`${entry.kind} ${entry.path}${content}`);
  }
  return seen;
}

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const file = (name: string, body = 'x'): ForgedMember => ({ name, body });

/** Members whose names have hundreds of parts, in folders that no two of them share. */
function deepMembers(last: string, type = '0'): readonly ForgedMember[] {
  return Array.from({ length: 100 }, (_, at) => [
    pax({ path: `manifests/${at}/${'a/'.repeat(490)}${last}` }),
    { name: 'x', type },
  ]).flat();
}

test('a file that declares more bytes than allowed is refused before any of them arrives', async () => {
  const huge = forgeTar([{ name: 'manifests/a', body: '', size: 7 * 2 ** 30 }], { end: false });
  await expect(read(huge)).rejects.toMatchObject({ reason: 'ImageTooLarge' });
});

test.each(['.', './', '..', 'manifests/.', 'manifests/..', 'manifests/'])(
  'a folder of the name %s yields no entry',
  async (name) => {
    const outcome = await read(forgeTar([{ name, type: '5' }, file('manifests/a')])).catch((error: unknown) => error);
    if (Array.isArray(outcome))
      expect(outcome.filter((line) => line.startsWith('file'))).toEqual(['file manifests/a=x']);
    else expect(outcome).toMatchObject({ reason: 'ImageInvalid' });
  },
);

test('an inaccessible folder is a folder like others: modes are ignored', async () => {
  const members = [
    { name: 'manifests/d', type: '5', mode: 0 },
    { ...file('manifests/d/a'), mode: 0 },
  ];
  expect(await read(forgeTar(members))).toContain('file manifests/d/a=x');
});

describe('names inside an archive', () => {
  test.each([
    { name: 'manifests/a.yaml', want: 'manifests/a.yaml', because: 'a plain name' },
    { name: './manifests/a.yaml', want: 'manifests/a.yaml', because: 'many tools begin with a dot' },
    { name: '././manifests//a.yaml', want: 'manifests/a.yaml', because: 'dots and doubled slashes do not count' },
    { name: 'manifests/.hidden', want: 'manifests/.hidden', because: 'a dot at the front is a name' },
    { name: 'manifests/a b.yaml', want: 'manifests/a b.yaml', because: 'spaces are fine' },
    { name: 'manifests/..a', want: 'manifests/..a', because: 'two dots in front of a name do not lead upwards' },
  ])('the name $name is read as $want, because $because', async ({ name, want }) => {
    expect(await read(forgeTar([file(name)]))).toEqual([`file ${want}=x`]);
  });

  test.each([
    { name: '../manifests/a', because: 'it leads upwards' },
    { name: 'manifests/../manifests/a', because: 'it leads upwards on the way' },
    { name: 'x/../manifests/a', because: 'it lands in the folder' },
    { name: 'manifests/x/../../manifests/a', because: 'it leaves and comes back' },
    { name: '/manifests/a', because: 'it is absolute' },
    { name: '//manifests/a', because: 'it is absolute twice' },
    { name: 'C:\\manifests\\a', because: 'it has a drive' },
    { name: 'C:/manifests/a', because: 'it has a drive and slashes' },
    { name: '\\manifests\\a', because: 'back-slashes separate elsewhere' },
    { name: 'manifests\\a', because: 'back-slashes separate in the folder too' },
    { name: 'manifests/a\\..\\..\\manifests\\b', because: 'both kinds of slashes' },
    { name: 'manifests/a\u0001b', because: 'it has a control character' },
    { name: 'manifests/a\u001b[31m', because: 'it would colour a terminal' },
    { name: 'manifests/\xff\xfe', because: 'it is not UTF-8' },
  ])('the name $name is refused, because $because', async ({ name }) => {
    await expect(read(forgeTar([file(name)]))).rejects.toMatchObject({ reason: 'ImageInvalid', retry: 'never' });
  });

  test.each([
    { name: '../x', because: 'it is elsewhere' },
    { name: 'a/../../x', because: 'it is elsewhere' },
    { name: '/etc/passwd', because: 'it is elsewhere' },
    { name: 'C:\\x', because: 'it is elsewhere' },
    { name: '\\\\srv\\x', because: 'it is elsewhere' },
    { name: 'etc/\xff\xfe', because: 'old certificate packages have such names' },
    { name: 'Manifests/a', because: 'case matters' },
    { name: 'manifestsx/a', because: 'half a folder name is another folder' },
  ])('the name $name is passed over, because $because', async ({ name }) => {
    expect(await read(forgeTar([file(name), file('manifests/good')]))).toEqual(['file manifests/good=x']);
  });

  test.each([
    { path: `manifests/${'d/'.repeat(3000)}a`, because: 'it is longer than 1024 bytes' },
    { path: `manifests/${'c'.repeat(256)}`, because: 'a part is longer than 255 bytes' },
    { path: 'manifests/a\0.yaml', because: 'readers differ on the text after a zero byte' },
    { path: '../manifests/a', because: 'extended names are checked like others' },
    { path: '/manifests/a', because: 'absolute extended names are refused too' },
    { path: 'manifests/GNUSparseFile.12/a', because: 'the content of a sparse file is a map of holes' },
  ])('an extended name is refused when $because', async ({ path }) => {
    await expect(read(forgeTar([pax({ path }), file('x')]))).rejects.toMatchObject({ reason: 'ImageInvalid' });
  });

  test('an extended name replaces the short one', async () => {
    const path = `manifests/${'ü'.repeat(90)}.yaml`;
    expect(await read(forgeTar([pax({ path }), file('x')]))).toEqual([`file ${path}=x`]);
    const long = { name: '././@LongLink', type: 'L', body: `manifests/${'n'.repeat(150)}\0` };
    expect(await read(forgeTar([long, file('x')]))).toEqual([`file manifests/${'n'.repeat(150)}=x`]);
  });

  test('a binary attribute with zero bytes is no name', async () => {
    const attribute = pax({ 'SCHILY.xattr.security.capability': Buffer.from([1, 0, 0, 2, 0, 0]) });
    expect(await read(forgeTar([attribute, file('manifests/a')]))).toEqual(['file manifests/a=x']);
  });

  test('a header that renames all that follows is refused', async () => {
    for (const record of [{ path: 'manifests/a' }, { size: '1' }, { linkpath: 'x' }]) {
      await expect(read(forgeTar([pax(record, 'g'), file('b')]))).rejects.toMatchObject({ reason: 'ImageInvalid' });
    }
    expect(await read(forgeTar([pax({ comment: 'abc' }, 'g'), file('manifests/b')]))).toEqual(['file manifests/b=x']);
  });
});

describe('kinds of members', () => {
  const KINDS = [
    { type: '2', link: '../../etc/passwd', because: 'a link could lead anywhere' },
    { type: '2', link: '/etc/passwd', because: 'an absolute link too' },
    { type: '2', link: 'a.yaml', because: 'even a link within the folder' },
    { type: '1', link: 'etc/shadow', because: 'a hard link shares another file' },
    { type: '1', link: 'manifests/a.yaml', because: 'even one to a file that is kept' },
    { type: '3', because: 'a character device' },
    { type: '4', because: 'a block device' },
    { type: '6', because: 'a named pipe' },
    { type: 'S', because: 'a sparse file' },
    { type: 'M', because: 'a part of a file' },
    { type: '8', because: 'an unknown kind' },
  ];
  test.each(KINDS)(
    'a member of type $type is refused in the folder, because it is $because',
    async ({ type, link }) => {
      const member = { name: 'manifests/m', type, ...(link !== undefined && { link }) };
      await expect(read(forgeTar([file('manifests/a.yaml'), member]))).rejects.toMatchObject({
        reason: 'ImageInvalid',
      });
    },
  );

  test.each(KINDS)('a member of type $type is passed over elsewhere', async ({ type, link }) => {
    const member = { name: 'usr/lib/m', type, ...(link !== undefined && { link }) };
    expect(await read(forgeTar([member, file('manifests/a')]))).toEqual(['file manifests/a=x']);
  });

  test.each([
    { member: { name: 'etc/x', link: 'y' }, because: 'a file without content' },
    {
      member: { name: 'etc/x', link: 'y', body: forgeTar([file('manifests/smuggled')], { end: false }) },
      because: 'a file whose content some readers take for members',
    },
    { member: { name: 'etc/x', type: '1' }, because: 'a hard link to nothing' },
  ])('a member that is both a file and a link is refused in every folder: $because', async ({ member }) => {
    await expect(read(forgeTar([file('manifests/a'), member]))).rejects.toMatchObject({ reason: 'ImageInvalid' });
  });

  test.each([
    { name: 'manifests', folders: ['manifests'], because: 'the folder itself would be elsewhere' },
    { name: 'opt', folders: ['opt/configs'], because: 'a parent would be elsewhere' },
  ])('a link at $name is refused, because $because', async ({ name, folders }) => {
    const chain = [{ name, type: '2', link: 'other' }, file('other/a')];
    await expect(read(forgeTar(chain), { folders })).rejects.toMatchObject({ reason: 'ImageInvalid' });
  });

  test('a file in the place of the folder is refused', async () => {
    await expect(read(forgeTar([file('manifests')]))).rejects.toMatchObject({ reason: 'ImageInvalid' });
    await expect(read(forgeTar([file('opt')]), { folders: ['opt/configs'] })).rejects.toMatchObject({
      reason: 'ImageInvalid',
    });
  });

  test('older letters for plain files are files', async () => {
    const members = [
      { name: 'manifests/a', type: '\0', body: 'a' },
      { name: 'manifests/b', type: '7', body: 'b' },
    ];
    expect(await read(forgeTar(members))).toEqual(['file manifests/a=a', 'file manifests/b=b']);
  });

  test('mode and time of a member are ignored', async () => {
    const odd = { mode: 0o6777, mtime: new Date('2099-01-01') };
    const members = [
      { name: 'manifests/sub', type: '5', ...odd, mode: 0 },
      { name: 'manifests/sub/a', body: 'a', ...odd },
    ];
    expect(await read(forgeTar(members))).toEqual(['folder manifests/sub', 'file manifests/sub/a=a']);
  });

  test.each([
    { members: [file('manifests/a', '1'), file('manifests/a', '2')], because: 'readers differ on which one counts' },
    { members: [file('manifests/a'), file('./manifests/a')], because: 'it is the same file by another name' },
    { members: [file('manifests/a'), { name: 'manifests/a', type: '5' }], because: 'a folder cannot have its name' },
    { members: [file('manifests/a'), file('manifests/a/b')], because: 'a file has no files below' },
    { members: [file('manifests/a/b'), file('manifests/a')], because: 'a folder is no file' },
  ])('a repeated name is refused, because $because', async ({ members }) => {
    await expect(read(forgeTar(members))).rejects.toMatchObject({ reason: 'ImageInvalid' });
  });

  test('names that differ in case only are two files', async () => {
    expect(await read(forgeTar([file('manifests/a'), file('manifests/A')]))).toEqual([
      'file manifests/a=x',
      'file manifests/A=x',
    ]);
  });

  test('whiteouts and opaque markers are recognized', async () => {
    const members = [
      'manifests/.wh.a',
      '.wh.manifests',
      'manifests/.wh..wh..opq',
      'etc/.wh.b',
      'manifests/.wh..wh.plnk',
    ];
    expect(await read(forgeTar(members.map((name) => file(name, ''))))).toEqual([
      'whiteout manifests/a',
      'whiteout manifests',
      'opaque manifests',
      'file manifests/.wh..wh.plnk=',
    ]);
  });

  test('a whiteout cannot lead out of the folder', async () => {
    await expect(read(forgeTar([file('manifests/.wh...')]))).rejects.toMatchObject({ reason: 'ImageInvalid' });
  });
});

describe('sizes', () => {
  test.each([{ size: '-1', because: 'a negative size is left to the header' }])(
    'PAX size $size: $because',
    async ({ size }) => {
      expect(await read(forgeTar([pax({ size }), file('manifests/a', 'abc')]))).toEqual(['file manifests/a=abc']);
    },
  );

  test.each([
    { size: '1e308', because: 'it is no number of bytes' },
    { size: '1e999', because: 'it is infinite' },
    { size: '1.5', because: 'it is a fraction' },
    { size: '999999999999', because: 'it is larger than the archive' },
    { size: '2000', because: 'it would swallow what follows' },
  ])('PAX size $size is refused, because $because', async ({ size }) => {
    const outcome = read(forgeTar([pax({ size }), file('manifests/a', 'abc')]));
    await expect(outcome).rejects.toThrow(
      expect.objectContaining({ reason: expect.stringMatching(/^Image(?:Invalid|TooLarge)$/) as string }),
    );
  });

  test('a header that declares more bytes than follow is refused', async () => {
    await expect(read(forgeTar([{ name: 'manifests/a', body: 'abc', size: 5000 }]))).rejects.toMatchObject({
      reason: 'ImageInvalid',
    });
  });

  test('a header that declares fewer bytes than follow is refused', async () => {
    const members = [{ name: 'manifests/a', body: 'b'.repeat(2000), size: 3 }];
    await expect(read(forgeTar(members))).rejects.toMatchObject({ reason: 'ImageInvalid' });
  });

  test.each([
    {
      limits: { entries: 10 },
      members: Array.from({ length: 11 }, (_, i) => file(`etc/${i}`)),
      because: 'too many members, even elsewhere',
    },
    {
      limits: { files: 2 },
      members: ['a', 'b', 'c'].map((name) => file(`manifests/${name}`)),
      because: 'too many files',
    },
    { limits: { fileBytes: 9 }, members: [file('manifests/a', '0123456789')], because: 'a file is too large' },
    {
      limits: { totalBytes: 9 },
      members: ['a', 'b'].map((name) => file(`manifests/${name}`, '01234')),
      because: 'the sum is too large',
    },
    {
      limits: { inflatedBytes: 4000 },
      members: [file('etc/a', 'x'.repeat(5000))],
      because: 'the layer is too large, even elsewhere',
    },
    {
      limits: {},
      members: [{ name: 'L', type: 'L', body: 'n'.repeat((1 << 20) + 1) }, file('manifests/a')],
      because: 'a name is too large',
    },
    {
      limits: {},
      members: [pax({ comment: 'n'.repeat(1 << 20) }), file('manifests/a')],
      because: 'an extension is too large',
    },
    {
      limits: { entries: 100 },
      members: [...Array.from({ length: 100 }, () => pax({ comment: 'x' })), file('a')],
      because: 'extensions count as members',
    },
    { limits: {}, members: deepMembers('b'), because: 'its files are in hundreds of folders each' },
    { limits: {}, members: deepMembers('b', '5'), because: 'its folders are hundreds deep' },
    { limits: {}, members: deepMembers('.wh.b'), because: 'its whiteouts are in hundreds of folders each' },
    { limits: {}, members: deepMembers('.wh..wh..opq'), because: 'its opaque folders are hundreds deep' },
  ])('a layer is ImageTooLarge when $because', async ({ limits, members }) => {
    await expect(read(forgeTar(members), { limits })).rejects.toMatchObject({
      reason: 'ImageTooLarge',
      retry: 'never',
    });
  });

  test('the names of as many files as a bundle may have take less than the limit', async () => {
    const members = Array.from({ length: BUNDLE_LIMITS.files }, (_, at) =>
      file(`manifests/${'operators'.repeat(3)}/v1.${at}/${'long-name.'.repeat(3)}.yaml`, ''),
    );
    expect(await read(forgeTar(members))).toHaveLength(BUNDLE_LIMITS.files);
  });

  test('a million empty files are stopped at the limit', async () => {
    const limits = byExtent({ all: BUNDLE_LIMITS, sample: { ...BUNDLE_LIMITS, entries: 20_000 } });
    const one = forgeTar([file('etc/a', '')], { end: false });
    const many = Buffer.concat(Array.from({ length: 128 }, () => one));
    const endless = async function* () {
      for (let index = 0; index < 1_000_000; index += 128) yield many;
    };
    const rules = {
      origin: { what: 'the layer', byDigest: true },
      folders: ['manifests'],
      limits,
      usage: noUsage(),
    };
    const all = async () => {
      for await (const entry of readLayer(endless(), rules)) expect(entry).toBeUndefined();
    };
    await expect(all()).rejects.toMatchObject({ reason: 'ImageTooLarge' });
    expect(rules.usage.entries).toBe(limits.entries + 1);
  });
});

type Pack = (bytes: Buffer) => Buffer;
const NESTED: readonly { outer: Pack; inner: Pack; mediaType: string; because: string }[] = [
  { outer: gzipSync, inner: gzipSync, mediaType: GZIP, because: 'gzip in gzip' },
  { outer: gzipSync, inner: zstdCompressSync, mediaType: GZIP, because: 'zstd in gzip' },
  { outer: zstdCompressSync, inner: gzipSync, mediaType: ZSTD, because: 'gzip in zstd' },
  { outer: zstdCompressSync, inner: zstdCompressSync, mediaType: ZSTD, because: 'zstd in zstd' },
];

/** A zstd frame that ends with a checksum. */
function checked(bytes: Buffer): Buffer {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

describe('compression', () => {
  const tar = forgeTar([file('manifests/a', 'abc')]);
  test.each([
    { bytes: tar, mediaType: PLAIN, because: 'plain' },
    { bytes: gzipSync(tar), mediaType: GZIP, because: 'gzip' },
    { bytes: gzipSync(tar), mediaType: DOCKER_GZIP, because: 'gzip by the older name' },
    { bytes: zstdCompressSync(tar), mediaType: ZSTD, because: 'zstd' },
    {
      bytes: Buffer.concat([gzipSync(tar.subarray(0, 700)), gzipSync(tar.subarray(700))]),
      mediaType: GZIP,
      because: 'several gzip members, as some tools write',
    },
    {
      bytes: Buffer.concat([zstdCompressSync(tar.subarray(0, 700)), zstdCompressSync(tar.subarray(700))]),
      mediaType: ZSTD,
      because: 'several zstd frames, as some tools write',
    },
    {
      bytes: Buffer.concat([checked(tar.subarray(0, 700)), checked(tar.subarray(700))]),
      mediaType: ZSTD,
      because: 'zstd frames with checksums',
    },
    { bytes: gzipSync(tar), mediaType: undefined, because: 'the first bytes decide the compression' },
    { bytes: gzipSync(tar), mediaType: PLAIN, because: 'it is gzip, and the type says plain' },
    { bytes: tar, mediaType: GZIP, because: 'it is plain, and the type says gzip' },
    { bytes: zstdCompressSync(tar), mediaType: GZIP, because: 'it is zstd, and the type says gzip' },
    { bytes: gzipSync(tar), mediaType: ZSTD, because: 'it is gzip, and the type says zstd' },
    { bytes: gzipSync(tar), mediaType: DOCKER_PLAIN, because: 'it is gzip, and the older name says plain' },
  ])('a compressed layer is read: $because', async ({ bytes, mediaType }) => {
    for (const chunkBytes of [1, 7, 1 << 16]) {
      expect(await read(bytes, { chunkBytes, ...(mediaType !== undefined && { mediaType }) })).toEqual([
        'file manifests/a=abc',
      ]);
    }
  });

  test.each([
    { bytes: gzipSync(tar), mediaType: 'application/vnd.example', because: 'the type is no layer' },
    { bytes: gzipSync(gzipSync(tar)), mediaType: GZIP, because: 'gzip in gzip' },
    { bytes: gzipSync(zstdCompressSync(tar)), mediaType: GZIP, because: 'zstd in gzip' },
    ...NESTED.flatMap(({ outer, inner, mediaType, because }) =>
      [1, 2, 3, 4].map((at) => ({
        bytes: Buffer.concat([outer(inner(tar).subarray(0, at)), outer(inner(tar).subarray(at))]),
        mediaType,
        because: `${because}, whose first piece has ${at} bytes`,
      })),
    ),
    { bytes: gzipSync(tar).subarray(0, 60), mediaType: GZIP, because: 'gzip is cut short' },
    { bytes: zstdCompressSync(tar).subarray(0, 40), mediaType: ZSTD, because: 'zstd is cut short' },
    {
      bytes: Buffer.concat([gzipSync(tar), Buffer.from('garbage')]),
      mediaType: GZIP,
      because: 'bytes follow the gzip',
    },
    {
      bytes: Buffer.concat([zstdCompressSync(tar), Buffer.from('garbage')]),
      mediaType: ZSTD,
      because: 'bytes follow the zstd',
    },
    {
      bytes: Buffer.concat([gzipSync(tar).subarray(0, 10), randomBytes(200)]),
      mediaType: GZIP,
      because: 'gzip is damaged',
    },
    { bytes: deflateRawSync(tar), mediaType: undefined, because: 'bare deflate is no layer' },
    { bytes: randomBytes(4096), mediaType: PLAIN, because: 'noise is no archive' },
    { bytes: Buffer.alloc(100), mediaType: PLAIN, because: 'a part of a block is no archive' },
    { bytes: tar.subarray(0, 600), mediaType: PLAIN, because: 'the archive is cut short' },
  ])('a layer is refused when $because', async ({ bytes, mediaType }) => {
    await expect(read(bytes, mediaType === undefined ? {} : { mediaType })).rejects.toMatchObject({
      reason: 'ImageInvalid',
      retry: 'never',
    });
  });

  test('a skippable zstd frame is skipped', async () => {
    const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const bytes = Buffer.concat([zstdCompressSync(tar), skippable]);
    expect(await read(bytes, { mediaType: ZSTD })).toEqual(['file manifests/a=abc']);
  });

  test('zero bytes after the gzip are padding', async () => {
    expect(await read(Buffer.concat([gzipSync(tar), Buffer.alloc(100)]), { mediaType: GZIP })).toEqual([
      'file manifests/a=abc',
    ]);
  });

  test.each([
    { name: 'gzip', compress: (bytes: Buffer) => gzipSync(bytes, { level: 9 }) },
    {
      name: 'zstd',
      compress: (bytes: Buffer) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }),
    },
  ])('a $name bomb is stopped by its ratio', async ({ compress }) => {
    const bomb = compress(forgeTar([file('etc/zeros', '\0'.repeat(64 << 20))]));
    await expect(read(bomb)).rejects.toMatchObject({ reason: 'ImageTooLarge' });
  });

  test('a catalog with hundreds of versions that hardly differ is no bomb, however well zstd compresses them', async () => {
    const manifest = randomBytes(20_000).toString('hex');
    const versions = Array.from({ length: 400 }, (_, at) => `{"name":"a.v1.${at}","value":"${manifest}"}\n`);
    const packed = zstdCompressSync(forgeTar([file('configs/catalog.json', versions.join(''))]));
    const options = { folders: ['configs'], mediaType: ZSTD };
    expect(await read(packed, { ...options, limits: CATALOG_LIMITS })).toHaveLength(1);
    await expect(read(packed, options), 'a bundle has one version').rejects.toMatchObject({ reason: 'ImageTooLarge' });
  });

  test('zeros are stopped by their ratio in the image of a catalog, too', async () => {
    const bomb = zstdCompressSync(forgeTar([file('configs/zeros', '\0'.repeat(64 << 20))]));
    await expect(read(bomb, { folders: ['configs'], limits: CATALOG_LIMITS })).rejects.toMatchObject({
      reason: 'ImageTooLarge',
      message: expect.stringContaining('inflates more than') as string,
    });
  });

  test.each([
    { window: 0x18, because: '8 KiB is little', read: true },
    { window: 0x78, because: 'the strongest level uses 32 MiB', read: true },
    { window: 0x80, because: '64 MiB is more than the manager allows', read: false },
    { window: 0xa8, because: '2 GiB would exhaust the memory', read: false },
  ])('a zstd frame with window $window is read: $read, because $because', async ({ window, read: accepted }) => {
    const block = Buffer.alloc(3);
    block.writeUIntLE(1 | (tar.length << 3), 0, 3);
    const bytes = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, window]), block, tar]);
    const outcome = read(bytes, { mediaType: ZSTD });
    if (accepted) expect(await outcome).toEqual(['file manifests/a=abc']);
    else await expect(outcome).rejects.toMatchObject({ reason: 'ImageInvalid' });
  });

  test('an empty layer is fine, as every tool writes them', async () => {
    expect(await read(gzipSync(Buffer.alloc(1024)), { mediaType: GZIP })).toEqual([]);
  });

  test.each([
    { bytes: Buffer.alloc(0), mediaType: PLAIN },
    { bytes: Buffer.alloc(0), mediaType: GZIP },
    { bytes: gzipSync(Buffer.alloc(0)), mediaType: GZIP },
  ])('a layer of zero bytes has no members, as in the reference', async ({ bytes, mediaType }) => {
    expect(await read(bytes, { mediaType })).toEqual([]);
  });

  test('an error of a source without bytes is passed on', async () => {
    const layer = readLayer(failingAtOnce(), {
      origin: { what: 'the layer', byDigest: true },
      folders: ['manifests'],
      limits: BUNDLE_LIMITS,
      usage: noUsage(),
    });
    await expect(layer.next()).rejects.toThrow(RangeError);
  });

  test('bytes after the end marker are not read as members', async () => {
    const bytes = Buffer.concat([tar, forgeTar([file('manifests/b')])]);
    expect(await read(bytes)).toEqual(['file manifests/a=abc']);
  });
});

// oxlint-disable-next-line require-yield
async function* failingAtOnce(): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  throw new RangeError('digest');
}

async function* failingAtEnd() {
  yield forgeTar([file('manifests/a')]);
  yield Buffer.alloc(4096);
  throw new RangeError('digest');
}

async function* failingMidway() {
  yield gzipSync(forgeTar([file('manifests/a')])).subarray(0, 40);
  throw new RangeError('network');
}

describe('streaming', () => {
  test('a file that is not read is skipped', async () => {
    const bytes = gzipSync(forgeTar([file('manifests/a', 'a'.repeat(100_000)), file('manifests/b', 'b')]));
    const rules = {
      origin: { what: 'l', byDigest: true },
      folders: ['manifests'],
      limits: BUNDLE_LIMITS,
      usage: noUsage(),
    };
    const paths: string[] = [];
    for await (const entry of readLayer(inChunks(bytes, 100), rules)) paths.push(entry.path);
    expect(paths).toEqual(['manifests/a', 'manifests/b']);
  });

  test('the source is read to its end even after the end marker, so that its check runs', async () => {
    const rules = {
      origin: { what: 'l', byDigest: true },
      folders: ['manifests'],
      limits: BUNDLE_LIMITS,
      usage: noUsage(),
    };
    const all = async () => {
      for await (const entry of readLayer(failingAtEnd(), rules)) expect(entry.path).toBe('manifests/a');
    };
    await expect(all()).rejects.toThrow(RangeError);
  });

  test.each([
    { bytes: gzipSync(randomBytes(2000)), mediaType: PLAIN, because: 'its type is another' },
    { bytes: gzipSync(gzipSync(randomBytes(2000))), mediaType: GZIP, because: 'it is compressed twice' },
    { bytes: Buffer.alloc(2000, 1), mediaType: PLAIN, because: 'it is no archive' },
  ])('the source of a refused layer is closed, or its connection would stay open: $because', async (row) => {
    const closed = Promise.withResolvers<string>();
    const source = async function* () {
      try {
        for (const byte of row.bytes) yield Buffer.of(byte);
      } finally {
        closed.resolve('closed');
      }
    };
    const rules = { origin: { what: 'the layer', byDigest: true }, folders: ['manifests'], limits: BUNDLE_LIMITS };
    await expect(async () => {
      for await (const entry of readLayer(source(), { ...rules, usage: noUsage(), mediaType: row.mediaType }))
        expect(entry).toBeUndefined();
    }).rejects.toMatchObject({ reason: 'ImageInvalid' });
    expect(await closed.promise).toBe('closed');
  });

  test('an error of a compressed source is passed on unchanged', async () => {
    const rules = {
      origin: { what: 'l', byDigest: true },
      folders: ['manifests'],
      limits: BUNDLE_LIMITS,
      usage: noUsage(),
    };
    const all = async () => {
      for await (const entry of readLayer(failingMidway(), rules)) expect(entry).toBeDefined();
    };
    await expect(all()).rejects.toThrow(RangeError);
  });

  test('a reader that stops early stops the source', async () => {
    let closed = false;
    const source = async function* () {
      try {
        for (;;) yield gzipSync(forgeTar([file('manifests/a', 'a'.repeat(1000))], { end: false }));
      } finally {
        closed = true;
      }
    };
    const rules = {
      origin: { what: 'l', byDigest: true },
      folders: ['manifests'],
      limits: BUNDLE_LIMITS,
      usage: noUsage(),
    };
    for await (const entry of readLayer(source(), rules)) {
      expect(entry.path).toBe('manifests/a');
      break;
    }
    await expect.poll(() => closed).toBe(true);
  });
});

/** Any bytes are read or refused with a reason. */
async function settle(bytes: Uint8Array): Promise<void> {
  try {
    await read(bytes, { folders: [''], limits: { inflatedBytes: 1 << 20, entries: 1000 } });
  } catch (error) {
    expect(error).toBeInstanceOf(ReasonedError);
  }
}

describe('arbitrary bytes', () => {
  test('noise is read to its end', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), settle), { numRuns: runsOf(300) });
  });

  test('a valid archive with changed bytes is read to its end, plain or compressed', async () => {
    const sound = forgeTar([
      pax({ path: 'manifests/long' }),
      file('x', 'content'),
      { name: 'd', type: '5' },
      file('b', 'y'.repeat(600)),
    ]);
    const edits = fc.array(fc.tuple(fc.nat({ max: sound.length - 1 }), fc.nat({ max: 255 })), {
      minLength: 1,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(edits, fc.constantFrom('plain', 'gzip', 'zstd'), async (changes, kind) => {
        const plain = Buffer.from(sound);
        const whole = kind === 'gzip' ? gzipSync(plain) : kind === 'zstd' ? zstdCompressSync(plain) : plain;
        for (const [at, value] of changes) whole[at % whole.length] = value;
        await settle(whole);
      }),
      { numRuns: runsOf(500) },
    );
  });

  test('the reader reads back the archive of the writer', async () => {
    const path = fc.array(
      fc.stringMatching(/^[a-zA-Z0-9ä€_ .-]{1,120}$/).filter((part) => !/^\.+$/.test(part) && !part.startsWith('.wh.')),
      { minLength: 1, maxLength: 4 },
    );
    const files = fc.dictionary(
      path.map((parts) => `manifests/${parts.join('/')}`),
      fc.uint8Array({ maxLength: 1500 }),
      { maxKeys: 8 },
    );
    await fc.assert(
      fc.asyncProperty(files, async (record) => {
        const wanted = new Map(Object.entries(record));
        fc.pre([...wanted.keys()].every((a) => ![...wanted.keys()].some((b) => b.startsWith(`${a}/`))));
        const got = new Map<string, string>();
        const rules = {
          origin: { what: 'l', byDigest: true },
          folders: ['manifests'],
          limits: BUNDLE_LIMITS,
          usage: noUsage(),
        };
        for await (const entry of readLayer(inChunks(buildTar(wanted), 1000), rules)) {
          if (entry.kind === 'file') got.set(entry.path, (await collectBytes(entry.chunks)).toString('hex'));
        }
        expect(got).toEqual(new Map([...wanted].map(([name, bytes]) => [name, Buffer.from(bytes).toString('hex')])));
      }),
      { numRuns: runsOf(150) },
    );
  });
});
