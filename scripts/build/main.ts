/**
 * `make build`: puts every released file into dist/.
 *
 *     dist/manager, dist/slipway   the programs for a machine that has Node: manager.js and slipway.js can be executed
 *     dist/console                 the pages of the console, which the programs have in them, and a manifest
 *     dist/npm                     the command line as a package, packed for `npm install --global`
 *     dist/single                  the command line as one executable for each architecture, and a manifest for krew
 *     dist/image                   an OCI layout: the manager's image for each architecture, and its referrers
 *     dist/sbom                    the bills of materials, as in the layout
 *     dist/rootfs                  with --rootfs: the images' files, for deploy/image/Dockerfile
 */
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeLayout } from '../../oci/layout.ts';
import { ARCHITECTURES, type Architecture } from './architecture.ts';
import { ROOT } from './bundle.ts';
import { rootFiles } from './node-image.ts';
import { buildManagerImage, IMAGE_ENTRIES, type ManagerImage } from './manager-image.ts';
import { krewArchive, renderKrewManifest } from './krew.ts';
import { npmPackageFiles, packNpm } from './npm-package.ts';
import { pageFiles } from './pages.ts';
import { pinDebian } from './pin-debian.ts';
import { programFiles, PROGRAMS } from './programs.ts';
import { writeFiles } from './write-files.ts';

const HELP = `Usage: npm run build -- [--arch amd64|arm64]… [--rootfs] [--out FOLDER] | --pin-debian
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      arch: { type: 'string', multiple: true, default: [...ARCHITECTURES] },
      rootfs: { type: 'boolean', default: false },
      out: { type: 'string', default: resolve(ROOT, 'dist') },
      'pin-debian': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return say(HELP.trim());
  if (values['pin-debian']) return say(`pinned ${(await pinDebian()).length} packages`);
  const architectures = values.arch.map(readArchitecture);
  await buildPrograms(values.out);
  await buildConsole(values.out);
  await buildNpmPackage(values.out);
  await buildSingleFiles(values.out, architectures);
  const image = await buildManagerImage({ architectures });
  await writeImage(values.out, image);
  if (values.rootfs) await writeRoots(values.out, architectures, image);
}

function readArchitecture(name: string): Architecture {
  const found = ARCHITECTURES.find((known) => known === name);
  if (found === undefined) throw new Error(`--arch is one of ${ARCHITECTURES.join(', ')}, not ${name}`);
  return found;
}

async function buildPrograms(out: string): Promise<void> {
  for (const [name, main] of Object.entries(PROGRAMS)) {
    await writeFiles(join(out, name), await programFiles(name, main));
    say(join(out, name, `${name}.js`));
  }
}

async function buildConsole(out: string): Promise<void> {
  await writeFiles(join(out, 'console'), await pageFiles());
  say(join(out, 'console'));
}

async function buildNpmPackage(out: string): Promise<void> {
  const folder = join(out, 'npm');
  await writeFiles(join(folder, 'package'), await npmPackageFiles());
  say(join(folder, await packNpm(join(folder, 'package'), folder)));
}

async function buildSingleFiles(out: string, architectures: readonly Architecture[]): Promise<void> {
  const folder = join(out, 'single');
  const archives = await Promise.all(architectures.map((architecture) => krewArchive(architecture)));
  const manifest = await renderKrewManifest(archives);
  const files = new Map<string, Uint8Array | { readonly bytes: Uint8Array; readonly mode: number }>();
  for (const { name, bytes, executableName, executable } of archives) {
    files.set(name, bytes);
    files.set(executableName, { bytes: executable, mode: 0o755 });
  }
  await writeFiles(folder, files.set('slipway.yaml', Buffer.from(manifest)));
  for (const { executableName, executable } of archives)
    say(`${join(folder, executableName)}: ${(executable.length / 1e6).toFixed(1)} MB`);
}

async function writeImage(out: string, { index, version, sboms, contents }: ManagerImage): Promise<void> {
  const layout = join(out, 'image');
  await rm(layout, { recursive: true, force: true });
  const digest = await writeLayout(layout, index, version);
  for (const { artifact } of sboms) await writeLayout(layout, artifact);
  await writeFiles(
    join(out, 'sbom'),
    new Map(sboms.map((one) => [`${one.architecture}.spdx.json`, Buffer.from(one.text)])),
  );
  for (const { architecture, image } of contents) {
    const bytes = image.layers.reduce((sum, { descriptor }) => sum + descriptor.size, 0);
    say(`linux/${architecture}: ${(bytes / 1e6).toFixed(1)} MB compressed, ${image.manifest.descriptor.digest}`);
  }
  say(`${layout}: ${version}@${digest}`);
}

/** With the command that makes the image of them, as the labels differ from commit to commit. */
async function writeRoots(
  out: string,
  architectures: readonly Architecture[],
  { labels }: ManagerImage,
): Promise<void> {
  const root = join(out, 'rootfs');
  for (const architecture of architectures) {
    await writeFiles(join(root, architecture), await rootFiles(architecture, IMAGE_ENTRIES));
    say(join(root, architecture));
  }
  const options = Object.entries(labels).map(([name, value]) => `--label '${name}=${value}'`);
  const platforms = architectures.map((architecture) => `linux/${architecture}`).join(',');
  say(
    ['docker buildx build', `--platform ${platforms}`, ...options, '-f deploy/image/Dockerfile', root].join(' \\\n  '),
  );
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`build: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
