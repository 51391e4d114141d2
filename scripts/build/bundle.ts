/**
 * Programs in TypeScript, with everything that they import, into a few JavaScript files: what a machine runs that
 * has Node and nothing else. Says which packages are in them, with their licences.
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { compareText } from '../../api/compare-text.ts';
import { PAGES } from './pages.ts';
import { readLockfile, type LockedPackage } from './lockfile.ts';

export const ROOT: string = resolve(import.meta.dirname, '../..');

export interface Bundle {
  /** By name, all in one folder. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** What of node_modules is in them, sorted by name. */
  readonly packages: readonly LockedPackage[];
}

/** CommonJS packages ask for Node's own modules by require(), which ES modules lack. */
const REQUIRE = `import { createRequire as slipwayCreateRequire } from 'node:module';
const require = slipwayCreateRequire(import.meta.url);`;

const OWN_REQUIRE = /^const require = createRequire\(import\.meta\.url\);$/m;
const REQUIRED = /\brequire\('([^']+)'\)/;

/**
 * What our files named lazy-… load by a require() of their own becomes a file of its own, beside the program: its text
 * takes no memory before it is asked for. Finds what there is of them; `found` is by name of the file.
 */
function lazyFiles(found: Map<string, string>): Plugin {
  return {
    name: 'lazy',
    setup: (esbuild) => {
      esbuild.onLoad({ filter: /\/lazy-[^/]+\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        const library = REQUIRED.exec(text)?.[1];
        if (library === undefined || !OWN_REQUIRE.test(text)) throw new Error(`${path} makes no require() of its own`);
        const name = `${basename(path, '.ts')}-library`;
        found.set(name, library.startsWith('.') ? resolve(dirname(path), library) : library);
        return { contents: text.replace(REQUIRED, `require('./${name}.js')`), loader: 'ts' };
      });
    },
  };
}

/**
 * An import of node:http reads every property of the module, and so loads the implementation of WebSocket: an HTTP
 * client of 500 KB, which the manager does not use. Loaded by name, the module gives only the properties that are used.
 * @see https://nodejs.org/api/process.html#processgetbuiltinmoduleid
 */
const PLAIN_HTTP: Plugin = {
  name: 'plain-http',
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^(?:node:)?http$/ }, () => ({ path: 'node:http', namespace: 'plain-http' }));
    esbuild.onLoad({ filter: /^/, namespace: 'plain-http' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};

/**
 * Bundles entries, given as name → path from the root of the repository; `manager` becomes `manager.js`. Code that
 * several of them need is in files that they share. Same sources, same bytes.
 */
export async function bundlePrograms(entries: Readonly<Record<string, string>>): Promise<Bundle> {
  const lazy = new Map<string, string>();
  let { outputFiles, metafile } = await bundle(entries, lazy);
  if (lazy.size > 0) ({ outputFiles, metafile } = await bundle({ ...entries, ...sorted(lazy) }, new Map()));
  const packages = await packagesOf(Object.keys(metafile.inputs));
  const code = outputFiles.map(
    ({ path, contents }) => [path.slice(resolve(ROOT, 'out').length + 1), contents] as const,
  );
  const files = new Map<string, Uint8Array>(code.map(([name, contents]) => [name, contents]));
  files.set('package.json', Buffer.from('{"type":"module"}\n'));
  files.set('THIRD-PARTY-LICENSES', await licencesOf(packages));
  return { files, packages };
}

/** The bundler loads files side by side and finds them in any order; the order of entries decides the names of chunks. */
function sorted(found: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries([...found].sort(([one], [other]) => compareText(one, other)));
}

async function bundle(entryPoints: Readonly<Record<string, string>>, lazy: Map<string, string>) {
  return build({
    absWorkingDir: ROOT,
    entryPoints: { ...entryPoints },
    outdir: 'out',
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: REQUIRE },
    // Node keeps the text in memory, with two bytes a character where one of them is in no Latin alphabet. Names stay
    // as they are, for the traces in logs; so do lines of a length that can be read there.
    charset: 'ascii',
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    plugins: [lazyFiles(lazy), PLAIN_HTTP, PAGES],
    legalComments: 'none',
    logLevel: 'warning',
  });
}

async function packagesOf(inputs: readonly string[]): Promise<readonly LockedPackage[]> {
  const paths = new Set(inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  const lockfile = await readLockfile();
  return [...paths].sort().map((path) => lockfile.get(path) ?? missing(path));
}

function missing(path: string): never {
  throw new Error(`${path} is bundled, and not in package-lock.json`);
}

async function licencesOf(packages: readonly LockedPackage[]): Promise<Buffer> {
  const texts = packages.map(async ({ path, name, version, licence }) => {
    const folder = resolve(ROOT, path);
    const names = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
    const parts = await Promise.all(names.map((file) => readFile(resolve(folder, file), 'utf8')));
    return [`${name} ${version} (${licence})`, ...parts.map((text) => text.trim())].join('\n\n');
  });
  return Buffer.from(`${(await Promise.all(texts)).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
}
