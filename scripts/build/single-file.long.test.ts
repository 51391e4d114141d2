/** The single executable runs without Node on the PATH, the console included; krew's manifest names its archive. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useFakeCluster } from '../../cmd/slipway/admin/testing/fake-cluster.ts';
import { buildPages } from '../../console/browser/build.ts';
import { ownArchitecture } from './architecture.ts';
import { addNote } from './elf-note.ts';
import { renderKrewManifest } from './krew.ts';
import { PROGRAMS } from './programs.ts';
import { buildSingleFile } from './single-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'slipway-single-file-test-'));
const program = join(folder, 'slipway');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CATALOG = [
  { schema: 'olm.package', name: 'lamp', defaultChannel: 'stable' },
  { schema: 'olm.channel', package: 'lamp', name: 'stable', entries: [{ name: 'lamp.v1.0.0' }] },
  {
    schema: 'olm.bundle',
    package: 'lamp',
    name: 'lamp.v1.0.0',
    image: 'registry.example/lamp:v1.0.0',
    properties: [
      { type: 'olm.package', value: { packageName: 'lamp', version: '1.0.0' } },
      {
        type: 'olm.constraint',
        value: { failureMessage: 'x', cel: { rule: 'properties.exists(p, p.type == "lens")' } },
      },
    ],
  },
];

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

describe('the executable', async () => {
  const cluster = useFakeCluster();
  const pages = await buildPages();

  beforeAll(async () => {
    writeFileSync(program, await buildSingleFile(PROGRAMS['slipway']!, ownArchitecture()));
    chmodSync(program, 0o755);
    writeFileSync(join(folder, 'catalog.json'), CATALOG.map((one) => JSON.stringify(one)).join('\n'));
  }, 300_000);

  /** While another test starts a process, that may hold the file open for writing for a moment. */
  const run = (...args: readonly string[]): ReturnType<typeof spawnSync> => runAs(program, ...args);
  const runAs = (name: string, ...args: readonly string[]): ReturnType<typeof spawnSync> => {
    for (;;) {
      const ended = spawnSync(name, args, { encoding: 'utf8', cwd: folder, env: { HOME: folder, PATH: '' } });
      if (!String(ended.error).includes('ETXTBSY')) return ended;
    }
  };

  test('prints its version and help, and nothing about Node', () => {
    expect(run('--version')).toMatchObject({ status: 0, stdout: '0.1.0\n', stderr: '' });
    expect(run('bundle', 'render', '--help')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Usage: slipway bundle render/) as string,
      stderr: '',
    });
  });

  test('is a plugin of kubectl by its name, as krew links it', () => {
    const plugin = join(folder, 'kubectl-slipway');
    symlinkSync(program, plugin);
    expect(runAs(plugin, 'bundle', 'render', '--help')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Usage: kubectl slipway bundle render/) as string,
    });
  });

  test('has the libraries that are loaded only when they are needed: SQLite and CEL', () => {
    const { status, stdout, stderr } = run('why', 'lamp', '--catalog', 'catalog.json');
    expect({ status, stderr }).toEqual({ status: 2, stderr: '' });
    expect(stdout).toContain('properties.exists');
  });

  test('serves the console with every file of its pages, and reads none beside itself', async () => {
    const { api, folder: place } = cluster();
    const args = ['ui', '--no-open', '-o', 'json', '--kubeconfig', join(place, 'kubeconfig'), '--context', 'two'];
    const started = spawn(program, args, { cwd: folder, env: { HOME: folder, PATH: '' } });
    try {
      const [line] = (await once(started.stdout, 'data')) as [Buffer];
      const { origin } = new URL((JSON.parse(line.toString()) as { readonly address: string }).address);
      const index = await (await fetch(`${origin}/overview`)).text();
      expect(index).toBe(textOf(pages[0]!.bytes));
      for (const { path, type, bytes } of pages.slice(1)) {
        const answer = await fetch(`${origin}${path}`);
        expect({ path, status: answer.status, type: answer.headers.get('content-type') }).toEqual({ path, status: 200, type }); // prettier-ignore
        expect(await answer.text(), path).toBe(textOf(bytes));
      }
      expect((await fetch(`${origin}/api/view/overview`)).status).toBe(401);
      expect(api.requests.length).toBeGreaterThan(0);
    } finally {
      started.kill('SIGINT');
    }
    expect(await once(started, 'exit')).toEqual([0, null]);
  });

  test('reports a mistake as the other builds do', () => {
    const { status, stderr } = run('get');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^slipway: InputInvalid: there is no kubeconfig/);
  });
});

test.each([
  { because: 'no ELF file', bytes: Buffer.alloc(64) },
  { because: 'position-independent', bytes: header({ type: 3 }) },
  { because: 'no segments', bytes: header({ type: 2 }) },
])('an executable of another form is refused: $because', ({ bytes }) => {
  expect(() => addNote(bytes, 'NAME', Buffer.from('x'))).toThrow();
});

function header({ type }: { readonly type: number }): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.write('\u007FELF\u0002\u0001', 'latin1');
  bytes.writeUInt16LE(type, 16);
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeUInt16LE(56, 54);
  return bytes;
}

test('the manifest for krew names each archive by its hash, and the executable in it', async () => {
  const bytes = Buffer.from('archive');
  const archives = (['amd64', 'arm64'] as const).map((architecture) => ({
    architecture,
    name: `slipway_linux_${architecture}.tar.gz`,
    bytes,
  }));
  const manifest = load(await renderKrewManifest(archives)) as KrewManifest;
  expect(manifest).toMatchObject({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'slipway' },
  });
  const { version, shortDescription, description, platforms } = manifest.spec;
  expect(version).toMatch(/^v\d+\.\d+\.\d+$/);
  expect(shortDescription.length).toBeLessThanOrEqual(50);
  expect(description).not.toBe('');
  for (const [index, { selector, uri, sha256, bin }] of platforms.entries()) {
    const { architecture, name } = archives[index]!;
    expect(selector.matchLabels).toEqual({ os: 'linux', arch: architecture });
    expect(uri).toBe(`https://releases.example/${version}/${name}`);
    expect({ sha256, bin }).toEqual({
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bin: 'kubectl-slipway',
    });
  }
  expect(platforms).toHaveLength(2);
});

interface KrewManifest {
  readonly spec: {
    readonly version: string;
    readonly shortDescription: string;
    readonly description: string;
    readonly platforms: readonly {
      readonly selector: { readonly matchLabels: object };
      readonly uri: string;
      readonly sha256: string;
      readonly bin: string;
    }[];
  };
}
