/**
 * Renews debian-packages.json with the packages that apt's sources offer now, for every architecture, in a separate
 * folder: the lists and settings of the machine do not change.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareText } from '../../api/compare-text.ts';
import { ARCHITECTURES, type Architecture } from './architecture.ts';
import type { DebianPackage } from './debian.ts';
import { run } from './run.ts';

/** The last for its copyright alone, which the two before it point to. */
const NAMES = ['libc6', 'libgcc-s1', 'libstdc++6', 'gcc-12-base'];

export async function pinDebian(): Promise<readonly DebianPackage[]> {
  const pinned: DebianPackage[] = [];
  for (const architecture of ARCHITECTURES) pinned.push(...(await offered(architecture)));
  const text = `${JSON.stringify(pinned, null, 2)}\n`;
  writeFileSync(new URL('debian-packages.json', import.meta.url), text);
  return pinned;
}

async function offered(architecture: Architecture): Promise<readonly DebianPackage[]> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-apt-'));
  try {
    for (const path of ['state/lists/partial', 'cache/archives/partial'])
      mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, 'status'), '');
    const settings = {
      'Dir::State': join(folder, 'state'),
      'Dir::State::status': join(folder, 'status'),
      'Dir::Cache': join(folder, 'cache'),
      'APT::Architecture': architecture,
      'APT::Architectures': architecture,
    };
    const own = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const apt = (...args: readonly string[]): Promise<Buffer> =>
      run('apt-get', [...own, '-qq', ...args], { need: 'pins are renewed on a machine with Debian sources' });
    await apt('update');
    const uris = (await apt('--print-uris', 'download', ...NAMES)).toString('utf8').trim().split('\n');
    return uris.map((line) => parseUri(line, architecture)).sort((a, b) => compareText(a.name, b.name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `'https://…/pool/main/g/glibc/libc6_2.36_amd64.deb' libc6_2.36_amd64.deb 2759320 SHA256:…` */
function parseUri(line: string, architecture: Architecture): DebianPackage {
  const [, path, file, sha256] = /^'[^']*\/(pool\/[^']+)' (\S+) \d+ SHA256:([0-9a-f]{64})$/.exec(line) ?? [];
  const [name, version] = file?.split('_') ?? [];
  if (path === undefined || sha256 === undefined || name === undefined || version === undefined)
    throw new Error(`apt-get --print-uris says ${JSON.stringify(line)}`);
  return { name, version: decodeURIComponent(version), architecture, path, sha256 };
}
