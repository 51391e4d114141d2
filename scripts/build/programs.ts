/** The programs for a machine that has Node: a folder each, with an executable of the name of the program. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { bundlePrograms, ROOT } from './bundle.ts';
import { renderLauncher } from './launcher.ts';
import { MANAGER_ENTRIES } from './manager-image.ts';
import type { Files } from './write-files.ts';

/** By name: the main file, which is bundled with the worker threads that both programs start. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  manager: 'cmd/manager/main.ts',
  slipway: 'cmd/slipway/main.ts',
};

/** Files of one program; `NAME.js` is the executable. */
export async function programFiles(name: string, main: string): Promise<Files> {
  const program = `${name}-main`;
  const { manager: _, ...workers } = MANAGER_ENTRIES;
  const { files } = await bundlePrograms({ [program]: main, ...workers });
  const launcher = renderLauncher({ name, program: `${program}.js`, engines: await neededNode() });
  const executable = { bytes: Buffer.from(launcher), mode: 0o755 };
  return new Map<string, Uint8Array | typeof executable>([...files, [`${name}.js`, executable]]);
}

async function neededNode(): Promise<string> {
  const manifest = JSON.parse(await readFile(resolve(ROOT, 'package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  return manifest.engines.node;
}
