/** Keeps the direction of imports: who may know whom, one sentence a rule. */
import { expect, describe, test } from 'vitest';
import { importsOf, readText, repositoryFiles, type Import } from './source-files.ts';

/** What each folder may import besides itself, and why no more. */
const MAY_IMPORT: Readonly<Record<string, { readonly folders: readonly string[]; readonly because: string }>> = {
  api: { folders: [], because: 'the words that all share depend on nobody' },
  kube: { folders: ['api'], because: 'the controller runtime would serve any controller' },
  oci: { folders: ['api'], because: 'the registry client knows neither clusters nor catalogs' },
  bundles: { folders: ['api'], because: 'a bundle is understood by itself' },
  'bundles/examples': {
    folders: ['kube', 'bundles', 'api'],
    because: 'an example is a program of its own, built on the controller runtime, and its bundles are checked',
  },
  catalog: { folders: ['bundles', 'api'], because: 'a catalog lists bundles; how it is fetched is not its business' },
  resolver: { folders: ['catalog', 'bundles', 'api'], because: 'a decision is made from data that others gathered' },
  apply: { folders: ['api'], because: 'objects are applied through an interface, so that plans need no cluster' },
  controllers: {
    folders: ['apply', 'kube', 'oci', 'resolver', 'catalog', 'bundles', 'api'],
    because: 'controllers bring the parts together, and nothing but cmd/ knows controllers',
  },
  cmd: {
    folders: ['controllers', 'apply', 'kube', 'oci', 'resolver', 'catalog', 'bundles', 'api'],
    because: 'programs wire everything, and ship without tests and scripts',
  },
  e2e: {
    folders: ['cmd', 'apply', 'kube', 'oci', 'resolver', 'catalog', 'bundles', 'api', 'scripts'],
    because: 'stories build programs, run them and look at clusters; benchmarks hold single parts against a floor',
  },
  scripts: {
    folders: ['cmd', 'oci', 'catalog', 'bundles', 'api'],
    because: 'scripts generate and package; they run no cluster',
  },
};

/** Folders whose code only computes; in the first part of catalog/ too, the index on disk being the other. */
const PURE = ['api/', 'bundles/', 'resolver/'];

/** Lies among the bundles, and is a program as those of cmd/ are. */
const EXAMPLES = 'bundles/examples/';

const IMPURE_MODULES =
  /^node:(fs|http|https|http2|net|tls|dns|dgram|child_process|cluster|worker_threads|timers|sqlite|os|process|readline)(\/|$)/;

const files = repositoryFiles().filter((path) => path.endsWith('.ts'));
const sources = new Map(files.map((path) => [path, readText(path) ?? '']));
const imports = [...sources].flatMap(([path, text]) => importsOf(path, text));
const own = imports.filter(({ isOwn }) => isOwn);

describe('imports go one way', () => {
  test('every folder with code has a rule', () => {
    const folders = new Set(files.filter((path) => path.includes('/')).map(folderOf));
    expect([...folders].filter((folder) => !(folder in MAY_IMPORT) && folder !== 'console')).toEqual([]);
  });

  test.each(Object.entries(MAY_IMPORT))('%s: $because', (folder, { folders }) => {
    const wrong = own.filter(
      ({ from, to }) =>
        folderOf(from) === folder &&
        folderOf(to) !== folder &&
        !folders.includes(folderOf(to)) &&
        !(isTest(from) && isForTests(to)),
    );
    expect(wrong.map(arrow)).toEqual([]);
  });

  test('controllers talk to each other through the cluster', () => {
    const wrong = own.filter(
      ({ from, to }) =>
        /^controllers\/\w+\//.test(from) && /^controllers\/\w+\//.test(to) && from.split('/')[1] !== to.split('/')[1],
    );
    expect(wrong.filter(({ from }) => !isTest(from)).map(arrow)).toEqual([]);
  });

  test('code that ships imports no code that is for tests', () => {
    const wrong = own.filter(({ from, to }) => !isTest(from) && !/^(e2e|scripts)\//.test(from) && isTest(to));
    expect(wrong.map(arrow)).toEqual([]);
  });

  test('code that only computes imports nothing that reads the world', () => {
    const wrong = imports.filter(({ from, to }) => isPure(from) && IMPURE_MODULES.test(to));
    expect(wrong.map(arrow)).toEqual([]);
  });

  test('code that only computes does not ask for the time or for chance', () => {
    const asks =
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(|\bset(Timeout|Interval|Immediate)\(/;
    expect(files.filter((path) => isPure(path) && asks.test(withoutComments(path)))).toEqual([]);
  });

  test('the environment is read by programs alone, where flags are read too', () => {
    const outside = files.filter(
      (path) => !/^(cmd|e2e|scripts|bundles\/examples)\//.test(path) && !isTest(path) && path.includes('/'),
    );
    expect(outside.filter((path) => /\bprocess\.env\b/.test(withoutComments(path)))).toEqual([]);
  });

  test('the types of client-node are borrowed everywhere, its code in kube/ and cmd/ alone', () => {
    const users = files.filter((path) =>
      /^import (?!type)[^;]*from '@kubernetes\/client-node'/m.test(sources.get(path) ?? ''),
    );
    expect(users.filter((path) => !/^(kube|cmd)\//.test(path))).toEqual([]);
  });
});

test('imports of every form are seen', () => {
  const text = [
    `import { a } from './a.ts';`,
    `import type {`,
    `  b,`,
    `} from '../b.ts';`,
    `import '../c.ts';`,
    `export * from './d.ts';`,
    `const e = await import('./e.ts');`,
    `import f from 'node:fs';`,
    `export { g } from './g/h.ts';`,
    `export const notAnImport = 'text';`,
  ].join('\n');
  expect(importsOf('x/y.ts', text).map(({ to }) => to)).toEqual([
    'x/a.ts',
    'b.ts',
    'c.ts',
    'x/d.ts',
    'x/e.ts',
    'node:fs',
    'x/g/h.ts',
  ]);
});

function folderOf(path: string): string {
  if (path.startsWith(EXAMPLES)) return EXAMPLES.slice(0, -1);
  return path.split('/', 1)[0] ?? '';
}

function isTest(path: string): boolean {
  return /\.test\.ts$|(^|\/)testing\/|(^|\/)testdata\//.test(path);
}

/** What tests of any folder may use: the real parts, how YAML is read, and the interface that a client is held against. */
function isForTests(path: string): boolean {
  return /^(e2e\/lib|kube)\//.test(path) || path === 'bundles/yaml.ts' || path === 'apply/cluster.ts';
}

function isPure(path: string): boolean {
  return PURE.some((folder) => path.startsWith(folder)) && !path.startsWith(EXAMPLES) && !isTest(path);
}

function withoutComments(path: string): string {
  return (sources.get(path) ?? '').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

function arrow({ from, to }: Import): string {
  return `${from} → ${to}`;
}
