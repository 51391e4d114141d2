/** The released programs are started as a person would start them, by a new Node and by an old one. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderLauncher } from './launcher.ts';
import { PROGRAMS, programFiles } from './programs.ts';
import { writeFiles } from './write-files.ts';

const OLD_NODE = '/usr/bin/node';
const folder = mkdtempSync(join(tmpdir(), 'slipway-programs-'));
const names = Object.keys(PROGRAMS);
const executable = (name: string): string => join(folder, name, `${name}.js`);

beforeAll(async () => {
  for (const [name, main] of Object.entries(PROGRAMS))
    await writeFiles(join(folder, name), await programFiles(name, main));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(names)('dist/%s', (name) => {
  test('has an executable that the Node on the PATH runs, also by a link of another name', () => {
    expect(statSync(executable(name)).mode & 0o777).toBe(0o755);
    const link = join(folder, `kubectl-${name}`);
    symlinkSync(executable(name), link);
    const env = { ...process.env, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };
    for (const path of [executable(name), link]) {
      const { status, stdout, stderr } = spawnSync(path, ['--help'], { encoding: 'utf8', env });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(/usage/i);
    }
  });

  test.each([
    { version: '20.20.2', because: 'the major version is lower' },
    { version: '24.14.9', because: 'the minor version is lower' },
    { version: '9.99.0', because: 'versions are numbers, not text' },
  ])('names the Node that it needs, and loads nothing, under $version: $because', ({ version }) => {
    const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
    const args = ['--import', `data:text/javascript,${pretend}`, executable(name), '--help'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toBe(needs(name, version, process.execPath));
  });

  test.runIf(isOld(OLD_NODE))(`does so under the older ${OLD_NODE} of this machine`, () => {
    const { status, stderr } = spawnSync(OLD_NODE, [executable(name), '--help'], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toBe(needs(name, versionOf(OLD_NODE), OLD_NODE));
  });
});

test.each([['24'], ['^24.15'], ['>=24']])('a range that is no lower bound is a defect of the build: %s', (engines) => {
  expect(() => renderLauncher({ name: 'x', program: 'x.js', engines })).toThrow('no lower bound');
});

function needs(name: string, version: string, node: string): string {
  return `${name}: needs Node 24.15 or newer, and this is Node ${version} (${node})
  Put a newer Node on the PATH, or start it by one: /PATH/TO/node ${executable(name)}
`;
}

function versionOf(node: string): string {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1);
}

function isOld(node: string): boolean {
  return existsSync(node) && Number.parseInt(versionOf(node), 10) < 24;
}
