/** The manager's image: complete, small, the same on every day, and readable by a second client. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Parser } from 'tar';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { pushArtifact, pushIndex } from '../../../oci/testing/push-built.ts';
import { collectBytes } from '../../../oci/bytes.ts';
import { parseReference, type Reference, withDigest } from '../../../oci/reference.ts';
import { FACTS, type Architecture } from '../../../scripts/build/architecture.ts';
import { cachePath } from '../../../scripts/build/cache.ts';
import { buildManagerImage, type ManagerImage } from '../../../scripts/build/manager-image.ts';
import { SPDX } from '../../../scripts/build/sbom.ts';
import { useCluster } from '../../lib/cluster.ts';
import { openRegistry } from '../../lib/publish.ts';

const MAX_COMPRESSED_BYTES = 60e6;
const cluster = useCluster({ only: ['registry'] });
const home = mkdtempSync(join(tmpdir(), 'slipway-image-'));
let image: ManagerImage;
let reference: string;

beforeAll(async () => {
  image = await buildManagerImage();
  reference = `${cluster().registry}/manager:${image.version}`;
  const registry = openRegistry();
  try {
    await pushIndex(registry, parseReference(reference), image.index);
    for (const { artifact, architecture } of image.sboms)
      await pushArtifact(registry, imageFor(architecture), artifact);
  } finally {
    registry.close();
  }
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('is the same on another day, in another time zone, with all files made again except downloads', async () => {
  const kept = dirname(cachePath('any'));
  mkdirSync(join(home, 'slipway/image'), { recursive: true });
  for (const file of readdirSync(kept).filter((name) => /\.(deb|tgz)$/.test(name)))
    copyFileSync(join(kept, file), join(home, 'slipway/image', file));
  vi.stubEnv('XDG_CACHE_HOME', home);
  vi.stubEnv('TZ', 'Asia/Kathmandu');
  vi.useFakeTimers({ now: new Date('2031-02-03T04:05:06Z'), toFake: ['Date'] });
  try {
    const again = await buildManagerImage({ architectures: ['amd64'] });
    const [first] = image.contents;
    expect(first?.architecture).toBe('amd64');
    expect(again.contents[0]?.image.manifest.descriptor).toEqual(first?.image.manifest.descriptor);
  } finally {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  }
});

test('is valid for crane, index and images', async () => {
  await cluster().crane(['validate', '--remote', reference]);
  const index = JSON.parse(await cluster().crane(['manifest', reference])) as { manifests: { platform: object }[] };
  expect(index.manifests.map(({ platform }) => platform)).toEqual([
    { os: 'linux', architecture: 'amd64' },
    { os: 'linux', architecture: 'arm64' },
  ]);
});

test('has a bill of materials for each architecture, found as the referrer of its image', async () => {
  const registry = openRegistry();
  try {
    for (const { architecture, text } of image.sboms) {
      const [found, ...others] = await registry.referrers(imageFor(architecture));
      expect([found?.artifactType, others]).toEqual([SPDX, []]);
      const where = withDigest(parseReference(reference), found?.digest ?? '');
      const { manifest } = await registry.pullManifest(where);
      const [layer] = manifest.kind === 'image' ? manifest.layers : [];
      if (layer === undefined) throw new Error('the referrer has no content');
      expect((await collectBytes(registry.pullBlob(where, layer))).toString('utf8')).toBe(text);
    }
  } finally {
    registry.close();
  }
});

describe.each(['amd64', 'arm64'] as const)('for %s', (architecture) => {
  const contents = () => image.contents.find((one) => one.architecture === architecture)!;

  test('is at most 60 MB compressed', () => {
    const bytes = contents().image.layers.reduce((sum, { descriptor }) => sum + descriptor.size, 0);
    process.stdout.write(`image for ${architecture}: ${(bytes / 1e6).toFixed(1)} MB\n`);
    expect(bytes).toBeLessThan(MAX_COMPRESSED_BYTES);
  });

  test('has labels that identify it, and runs as a user who is not root', async () => {
    const config = JSON.parse(contents().image.config.bytes.toString('utf8')) as {
      readonly config: { readonly User: string; readonly Labels: Readonly<Record<string, string>> };
    };
    expect(config.config.User).toBe('65532:65532');
    expect(config.config.Labels).toEqual(image.labels);
    expect(image.labels).toMatchObject({
      'org.opencontainers.image.title': 'slipway',
      'org.opencontainers.image.version': image.version,
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.created': expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/) as string,
    });
  });

  test('has every library that its programs are linked with, no shell and nothing that others may write', async () => {
    const files = new Map<string, Buffer>();
    const writable: string[] = [];
    for (const { bytes } of contents().image.layers) {
      for (const { path, mode, content } of await membersOf(gunzipSync(bytes))) {
        files.set(path, content);
        if ((mode & 0o022) !== 0) writable.push(path);
      }
    }
    expect(writable).toEqual([]);
    expect([...files.keys()].filter((path) => /(^|\/)(sh|bash|busybox|apt|dpkg|npm|npx)$/.test(path))).toEqual([]);
    const { libraries, linker } = FACTS[architecture];
    expect(files.has(linker)).toBe(true);
    const needed = [...files].flatMap(([path, content]) => neededBy(content).map((name) => ({ path, name })));
    expect(needed.length).toBeGreaterThan(6);
    expect(needed.filter(({ name }) => !files.has(`${libraries}/${name}`) && !linker.endsWith(`/${name}`))).toEqual([]);
  });
});

/** The image of one architecture, by digest. */
function imageFor(architecture: Architecture): Reference {
  const { image: built } = image.contents.find((one) => one.architecture === architecture)!;
  return parseReference(`${cluster().registry}/manager@${built.manifest.descriptor.digest}`);
}

interface Member {
  readonly path: string;
  readonly mode: number;
  readonly content: Buffer;
}

async function membersOf(archive: Buffer): Promise<readonly Member[]> {
  const members: Promise<Member>[] = [];
  const parser = new Parser({
    onReadEntry: (entry) => {
      members.push(
        entry.concat().then((bytes) => ({ path: entry.path, mode: entry.mode ?? 0, content: Buffer.from(bytes) })),
      );
    },
  });
  await new Promise<void>((resolve, reject) => {
    parser.on('end', () => resolve());
    parser.on('error', reject);
    parser.end(archive);
  });
  return Promise.all(members);
}

/** Names of the shared libraries in the dynamic section of a 64-bit little-endian ELF file; none for other files. */
function neededBy(file: Buffer): readonly string[] {
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46) return [];
  const [DYNAMIC, LOAD, NEEDED, STRTAB] = [2, 1, 1n, 5n];
  const at = Number(file.readBigUInt64LE(32));
  const headers = Array.from({ length: file.readUInt16LE(56) }, (_, index) => {
    const start = at + index * file.readUInt16LE(54);
    const [offset, address, size] = [8, 16, 32].map((field) => Number(file.readBigUInt64LE(start + field)));
    return { type: file.readUInt32LE(start), offset: offset!, address: address!, size: size! };
  });
  const dynamic = headers.find(({ type }) => type === DYNAMIC);
  if (dynamic === undefined) return [];
  const entries = Array.from({ length: dynamic.size / 16 }, (_, index) => {
    const start = dynamic.offset + index * 16;
    return { tag: file.readBigUInt64LE(start), value: Number(file.readBigUInt64LE(start + 8)) };
  });
  const table = entries.find(({ tag }) => tag === STRTAB)!.value;
  const segment = headers.find(
    ({ type, address, size }) => type === LOAD && table >= address && table < address + size,
  )!;
  const strings = segment.offset + table - segment.address;
  return entries
    .filter(({ tag }) => tag === NEEDED)
    .map(({ value }) => file.toString('latin1', strings + value, file.indexOf(0, strings + value)));
}
