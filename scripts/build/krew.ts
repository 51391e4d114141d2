/** The single executables as a plugin of kubectl for krew: an archive for each architecture, and the manifest of both. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { dump } from 'js-yaml';
import { buildTar } from '../../oci/tar-writer.ts';
import type { Architecture } from './architecture.ts';
import { ROOT } from './bundle.ts';
import { PROGRAMS } from './programs.ts';
import { buildSingleFile } from './single-file.ts';

export interface KrewArchive {
  readonly architecture: Architecture;
  /** `slipway_linux_amd64.tar.gz` */
  readonly name: string;
  readonly bytes: Buffer;
  /** `slipway_linux_amd64` */
  readonly executableName: string;
  readonly executable: Buffer;
}

/** Name of the executable in the archive. */
const EXECUTABLE = 'kubectl-slipway';

/** Builds the executable for an architecture, and packs it with the licence. */
export async function krewArchive(architecture: Architecture): Promise<KrewArchive> {
  const executable = await buildSingleFile(PROGRAMS['slipway']!, architecture);
  const licence = await readFile(resolve(ROOT, 'LICENSE'));
  const executableName = `slipway_linux_${architecture}`;
  const files = new Map<string, Buffer | { readonly bytes: Buffer; readonly mode: number }>([
    [EXECUTABLE, { bytes: executable, mode: 0o755 }],
    ['LICENSE', licence],
  ]);
  return {
    architecture,
    name: `${executableName}.tar.gz`,
    bytes: gzipSync(buildTar(files)),
    executableName,
    executable,
  };
}

/** Where the archives of a release are; a publisher replaces the host. */
const RELEASES = 'https://releases.example';

/**
 * The manifest by which krew installs the archives.
 * @see https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/
 */
export async function renderKrewManifest(
  archives: readonly Pick<KrewArchive, 'architecture' | 'name' | 'bytes'>[],
): Promise<string> {
  const own = JSON.parse(await readFile(resolve(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
  const platforms = archives.map(({ architecture, name, bytes }) => ({
    selector: { matchLabels: { os: 'linux', arch: architecture } },
    uri: `${RELEASES}/v${own.version}/${name}`,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bin: EXECUTABLE,
  }));
  return dump(
    {
      apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
      kind: 'Plugin',
      metadata: { name: 'slipway' },
      spec: {
        version: `v${own.version}`,
        homepage: RELEASES,
        shortDescription: 'Install, upgrade and uninstall operators',
        description:
          'Builds, checks and publishes bundles and catalogs of operators, explains which version is chosen, and administers the operators of a cluster.\n',
        platforms,
      },
    },
    { lineWidth: 120 },
  );
}
