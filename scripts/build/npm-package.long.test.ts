/** The package is packed and installed into an empty prefix, as `npm install --global` does it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { npmPackageFiles, packNpm } from './npm-package.ts';
import { writeFiles } from './write-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'slipway-npm-package-'));
const prefix = join(folder, 'prefix');
let archive = '';

beforeAll(async () => {
  await writeFiles(join(folder, 'package'), await npmPackageFiles());
  archive = join(folder, await packNpm(join(folder, 'package'), folder));
  mkdirSync(prefix);
  const args = [
    'install',
    '--global',
    '--offline',
    '--prefix',
    prefix,
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    archive,
  ];
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8', cwd: folder });
  expect({ status, stderr }).toMatchObject({ status: 0 });
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MEGABYTES = 1_000_000;

test('it has at most 2 MB', () => {
  expect(statSync(archive).size).toBeLessThanOrEqual(2 * MEGABYTES);
});

test.each(['slipway', 'kubectl-slipway'])('%s runs by the Node on the PATH', (name) => {
  const env = { HOME: folder, PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter) };
  const run = (...args: readonly string[]) => spawnSync(join(prefix, 'bin', name), args, { encoding: 'utf8', env });
  expect(run('--version')).toMatchObject({ status: 0, stdout: '0.1.0\n', stderr: '' });
  expect(run('get', '--help').stdout).toMatch(new RegExp(`^Usage: ${name.replace('-', ' ')} get `));
  expect(
    run('bundle', 'inspect', join(import.meta.dirname, '../../bundles/examples/beacon-operator/1.0.0')),
  ).toMatchObject({ status: 0, stderr: '' });
});

test('its manual pages are installed', () => {
  const pages = join(prefix, 'share/man/man1');
  expect(existsSync(join(pages, 'slipway.1'))).toBe(true);
  expect(readdirSync(pages).length).toBeGreaterThan(30);
});
