/**
 * The shared libraries that Node needs, from Debian packages at the versions of debian-packages.json. They come from
 * where this machine's apt takes its packages, with its proxies and credentials; nothing is installed.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Architecture } from './architecture.ts';
import { cachePath, partialOf } from './cache.ts';
import { run } from './run.ts';

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: Architecture;
  /** From the root of an archive: `pool/main/…`. */
  readonly path: string;
  readonly sha256: string;
}

const APT_HELPER = '/usr/lib/apt/apt-helper';
const NEED =
  'the libraries of the image come from Debian packages; build on Debian, or put the packages into SLIPWAY_DEBS';

export async function readPins(): Promise<readonly DebianPackage[]> {
  return JSON.parse(await readFile(new URL('debian-packages.json', import.meta.url), 'utf8')) as DebianPackage[];
}

/** The package's files as a tar archive. Throws where no source of this machine has exactly this package. */
export async function readDebianPackage(pinned: DebianPackage): Promise<Buffer> {
  const file = await fetchPackage(pinned);
  return run('dpkg-deb', ['--fsys-tarfile', file], { need: NEED });
}

async function fetchPackage(pinned: DebianPackage): Promise<string> {
  const given = process.env['SLIPWAY_DEBS'];
  const candidates = [
    ...(given === undefined ? [] : [join(given, basename(pinned.path))]),
    cachePath(basename(pinned.path)),
  ];
  for (const candidate of candidates) if (await isPinned(candidate, pinned)) return candidate;
  const target = candidates.at(-1)!;
  const failures: string[] = [];
  for (const archive of await archives()) {
    const partial = partialOf(target);
    const url = `${archive}${pinned.path}`;
    const args = ['-qq', 'download-file', url, partial.path, `SHA256:${pinned.sha256}`];
    const failure = await run(APT_HELPER, args, { need: NEED }).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (failure === undefined && (await isPinned(partial.path, pinned))) {
      partial.commit();
      return target;
    }
    failures.push(failure ?? 'the content differs');
  }
  throw new Error(
    `${pinned.name} ${pinned.version} for ${pinned.architecture} is in none of apt's sources (${failures.join('; ')}). ` +
      'Where Debian has a newer one, renew the pins: npm run build -- --pin-debian',
  );
}

async function isPinned(file: string, { sha256 }: DebianPackage): Promise<boolean> {
  if (!existsSync(file)) return false;
  return (
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex') === sha256
  );
}

/** Roots of the archives that apt is set up with, each ending with a slash. */
async function archives(): Promise<readonly string[]> {
  const args = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
  const uris = (await run('apt-get', args, { need: NEED })).toString('utf8').split('\n');
  const unique = [...new Set(uris.filter((uri) => uri !== ''))];
  if (unique.length === 0) throw new Error(`apt has no sources: ${NEED}`);
  return unique.map((uri) => (uri.endsWith('/') ? uri : `${uri}/`));
}
