/**
 * The command line as one executable file: Node with the bundled program in it, as Node's single executable applications
 * are made. The program is a note in the executable, which the kernel maps with the other segments.
 * @see https://nodejs.org/api/single-executable-applications.html
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { ownArchitecture, type Architecture } from './architecture.ts';
import { ROOT } from './bundle.ts';
import { addNote } from './elf-note.ts';
import { readNode } from './node-binary.ts';
import { PAGES } from './pages.ts';
import { run } from './run.ts';

/** The executable for an architecture. Throws if Node for it can neither be found nor fetched. */
export async function buildSingleFile(main: string, architecture: Architecture): Promise<Buffer> {
  const { binary } = await readNode(architecture);
  const blob = await blobOf(await bundleScript(main), architecture === ownArchitecture());
  return addNote(switchOn(binary), 'NODE_SEA_BLOB', blob);
}

/** One CommonJS script, as Node reads it from an executable: nothing is loaded from files. */
async function bundleScript(main: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [main],
    write: false,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    supported: { 'dynamic-import': false },
    banner: { js: "const slipwayUrl = require('node:url').pathToFileURL(process.execPath).href;" },
    define: { 'import.meta.url': 'slipwayUrl' },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'error',
    plugins: [INLINE, PAGES],
  });
  return outputFiles[0]!.text;
}

/** Libraries that our files named lazy-… load by a require() of their own become a part of the script. */
const INLINE: Plugin = {
  name: 'inline',
  setup: (esbuild) => {
    esbuild.onLoad({ filter: /\/lazy-[^/]+\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replace(/^const require = createRequire\(import\.meta\.url\);$/m, ''), loader: 'ts' };
    });
  },
};

/** The script in the form that Node reads; compiled code is of use on this architecture only. */
async function blobOf(script: string, useCodeCache: boolean): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-single-file-'));
  try {
    const [main, output, config] = ['main.cjs', 'main.blob', 'config.json'].map((name) => join(folder, name));
    await writeFile(main!, script);
    await writeFile(config!, JSON.stringify({ main, output, disableExperimentalSEAWarning: true, useCodeCache }));
    await run(process.execPath, ['--experimental-sea-config', config!], { need: 'Node makes the file' });
    return await readFile(output!);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Marks the text in Node's binary by which it knows that a program is in it. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

function switchOn(binary: Buffer): Buffer {
  const at = binary.indexOf(`${FUSE}:0`);
  if (at < 0) throw new Error('this Node cannot be made a single executable: it has no fuse');
  const copy = Buffer.from(binary);
  copy.write('1', at + FUSE.length + 1);
  return copy;
}
