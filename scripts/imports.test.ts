/** Keeps the direction of imports: one sentence for each folder and those that it may import. */
import { expect, describe, test } from 'vitest';
import { importsOf, isSource, readText, repositoryFiles, type Import } from './source-files.ts';

/** What each folder may import besides itself, and why no more. */
const MAY_IMPORT: Readonly<Record<string, { readonly folders: readonly string[]; readonly because: string }>> = {
  api: { folders: [], because: 'the vocabulary that all share depends on no folder' },
  signatures: {
    folders: ['oci', 'api'],
    because: 'a signature is judged from data that others fetched, and names an image in any spelling that oci knows',
  },
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
  plan: {
    folders: ['apply', 'oci', 'resolver', 'bundles', 'api'],
    because: 'a plan is computed from objects and facts, so that the command line and the manager make the same one',
  },
  adoption: {
    folders: ['resolver', 'apply', 'api'],
    because:
      'operators are handed over through an interface, and requirements are compared as the resolver compares them',
  },
  controllers: {
    folders: ['adoption', 'plan', 'apply', 'kube', 'oci', 'signatures', 'resolver', 'catalog', 'bundles', 'api'],
    because: 'controllers bring the parts together, and nothing but cmd/ knows controllers',
  },
  report: {
    folders: ['plan', 'apply', 'resolver', 'catalog', 'bundles', 'api'],
    because: 'sentences about objects are the same on the command line and in the console, which both read the objects',
  },
  console: {
    folders: [
      'console/browser',
      'report',
      'adoption',
      'plan',
      'apply',
      'kube',
      'resolver',
      'catalog',
      'bundles',
      'api',
    ],
    because:
      'views are computed from objects, as the command line does it, also from the backups of operators that left OLM; programs of cmd/ serve them',
  },
  'console/browser': {
    folders: ['console'],
    because: 'pages draw models that the server made, and know no cluster',
  },
  cmd: {
    folders: [
      'console',
      'report',
      'controllers',
      'adoption',
      'plan',
      'apply',
      'kube',
      'oci',
      'signatures',
      'resolver',
      'catalog',
      'bundles',
      'api',
    ],
    because: 'programs wire everything, and ship without tests and scripts',
  },
  e2e: {
    folders: [
      'cmd',
      'console',
      'console/browser',
      'report',
      'adoption',
      'plan',
      'apply',
      'kube',
      'oci',
      'signatures',
      'resolver',
      'catalog',
      'bundles',
      'api',
      'scripts',
    ],
    because: 'stories build programs, run them and inspect clusters; benchmarks hold single parts against a floor',
  },
  scripts: {
    folders: ['cmd', 'console/browser', 'oci', 'catalog', 'bundles', 'api'],
    because: 'scripts generate and package; they run no cluster',
  },
};

/** Folders whose code only computes; in the first part of catalog/ too, the index on disk being the other. */
const PURE = ['api/', 'bundles/', 'resolver/', 'signatures/', 'plan/', 'report/', 'console/data/'];

/** Lies among the bundles, and is a program as those of cmd/ are. */
const EXAMPLES = 'bundles/examples/';

/** Folders inside of a folder that have rules of their own. */
const APART = [EXAMPLES, 'console/browser/'];

/** Runs on the server, or at a build: it makes the files that browsers get. */
const BUILD_OF_PAGES = 'console/browser/build.ts';

const IMPURE_MODULES =
  /^node:(fs|http|https|http2|net|tls|dns|dgram|child_process|cluster|worker_threads|timers|sqlite|os|process|readline)(\/|$)/;

/** Libraries that one folder hides from all others, or two: why. Types count, too. */
const HIDDEN_LIBRARIES: readonly {
  readonly library: string;
  readonly folder: string;
  readonly second?: string;
  readonly because: string;
}[] = [
  {
    library: '@kubernetes/client-node',
    folder: 'kube/kubeconfig/',
    because: 'it reads credentials of kubeconfigs, and requests to the API server are our own (decision 1)',
  },
  ...['@sigstore/verify', '@sigstore/bundle'].map((library) => ({
    library,
    folder: 'signatures/',
    because: 'one folder judges signatures, and reports flaws in words of its own',
  })),
  {
    library: 'openid-client',
    folder: 'kube/kubeconfig/',
    second: 'console/server/login/',
    because: 'people log in to clusters and to the console, and managers do not',
  },
  ...['hono', '@hono/node-server'].map((library) => ({
    library,
    folder: 'console/server/',
    because: 'the console has routes, and the other programs answer single paths',
  })),
  { library: 'jose', folder: 'console/server/', because: 'sessions of people are sealed in one place' },
];

/** Files that load a large library, and so are imported when that is needed and never before. */
const LOADED_LATE = ['kube/kubeconfig/exec.ts', 'kube/kubeconfig/oidc.ts', 'console/server/login/oidc.ts'];

/** The source files of a repository, and their imports. */
interface Tree {
  readonly files: readonly string[];
  readonly sources: ReadonlyMap<string, string>;
  readonly imports: readonly Import[];
  /** Those of files of the repository. */
  readonly own: readonly Import[];
}

function treeOf(sources: ReadonlyMap<string, string>): Tree {
  const imports = [...sources].flatMap(([path, text]) => importsOf(path, text));
  return { files: [...sources.keys()], sources, imports, own: imports.filter(({ isOwn }) => isOwn) };
}

/** The tree with a file that it lacks; the others are not read again. */
function withFile({ files, sources, imports, own }: Tree, path: string, text: string): Tree {
  const added = treeOf(new Map([[path, text]]));
  return {
    files: [...files, ...added.files],
    sources: new Map([...sources, ...added.sources]),
    imports: [...imports, ...added.imports],
    own: [...own, ...added.own],
  };
}

const repository = treeOf(
  new Map(
    repositoryFiles()
      .filter(isSource)
      .map((path) => [path, readText(path) ?? '']),
  ),
);

interface Rule {
  /** What holds, as a sentence. */
  readonly rule: string;
  /** A file that breaks it. */
  readonly broken: readonly [path: string, text: string];
  /** The places of a tree that break it. */
  readonly find: (tree: Tree) => readonly string[];
}

const RULES: readonly Rule[] = [
  {
    rule: 'every folder with code has a rule',
    broken: ['somewhere/new.ts', ''],
    find: ({ files }) =>
      [...new Set(files.filter((path) => path.includes('/')).map(folderOf))].filter(
        (folder) => !(folder in MAY_IMPORT),
      ),
  },
  ...Object.entries(MAY_IMPORT).map(([folder, { folders, because }]): Rule => ({
    rule: `${folder}: ${because}`,
    broken: [`${folder}/new.ts`, `import '${'../'.repeat(folder.split('/').length)}new/new.ts';`],
    find: ({ own }) =>
      own
        .filter(
          ({ from, to }) =>
            folderOf(from) === folder &&
            folderOf(to) !== folder &&
            !folders.includes(folderOf(to)) &&
            !(isTest(from) && isForTests(to)),
        )
        .map(arrow),
  })),
  {
    rule: 'controllers talk to each other through the cluster',
    broken: ['controllers/revision/new.ts', `import '../catalog/new.ts';`],
    find: ({ own }) =>
      own
        .filter(
          ({ from, to }) =>
            /^controllers\/\w+\//.test(from) &&
            /^controllers\/\w+\//.test(to) &&
            from.split('/')[1] !== to.split('/')[1],
        )
        .filter(({ from }) => !isTest(from))
        .map(arrow),
  },
  {
    rule: 'code that ships imports no code that is for tests',
    broken: ['kube/new.ts', `import './testing/new.ts';`],
    find: ({ own }) =>
      own.filter(({ from, to }) => !isTest(from) && !/^(e2e|scripts)\//.test(from) && isTest(to)).map(arrow),
  },
  {
    rule: 'code that only computes imports nothing that reads the world',
    broken: ['resolver/new.ts', `import 'node:fs';`],
    find: ({ imports }) => imports.filter(({ from, to }) => isPure(from) && IMPURE_MODULES.test(to)).map(arrow),
  },
  {
    rule: 'code that only computes does not ask for the time or for chance',
    broken: ['api/new.ts', 'const now = Date.now();'],
    find: ({ files, sources }) => {
      const asks =
        /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(|\bset(Timeout|Interval|Immediate)\(/;
      return files.filter((path) => isPure(path) && asks.test(withoutComments(sources.get(path))));
    },
  },
  {
    rule: 'the environment is read by programs alone, where flags are read too',
    broken: ['kube/new.ts', `const home = process.env['HOME'];`],
    find: ({ files, sources }) =>
      files
        .filter((path) => !/^(cmd|e2e|scripts|bundles\/examples)\//.test(path) && !isTest(path) && path.includes('/'))
        .filter((path) => /\bprocess\.env\b/.test(withoutComments(sources.get(path)))),
  },
  ...HIDDEN_LIBRARIES.map(({ library, folder, second = folder, because }): Rule => ({
    rule: `${library} is imported in ${folder}${second === folder ? '' : ` and ${second}`} alone: ${because}`,
    broken: ['cmd/slipway/new.ts', `import type { New } from '${library}/dist/new.js';`],
    find: ({ imports }) =>
      usersOf(library, imports)
        .filter(({ from }) => !from.startsWith(folder) && !from.startsWith(second))
        .map(arrow),
  })),
  {
    rule: 'pages know the types of models, and none of the code that makes them: it stays on the server',
    broken: ['console/browser/new.ts', `import { show } from '../data/overview.ts';`],
    find: ({ sources, own }) =>
      own
        .filter(
          ({ from, to }) =>
            isOfPages(from) && to.startsWith('console/data/') && isImportedAtOnce(sources.get(from), to),
        )
        .map(arrow),
  },
  {
    rule: 'pages run in browsers, which have no modules of Node',
    broken: ['console/browser/new.tsx', `import { join } from 'node:path';`],
    find: ({ imports }) => imports.filter(({ from, to }) => isOfPages(from) && to.startsWith('node:')).map(arrow),
  },
  {
    rule: 'what loads a large library is loaded when that is needed',
    broken: ['kube/kubeconfig/new.ts', `import { New } from './exec.ts';`],
    find: ({ sources, own }) =>
      own
        .filter(({ from, to }) => LOADED_LATE.includes(to) && !isTest(from) && isImportedAtOnce(sources.get(from), to))
        .map(arrow),
  },
];

describe('imports go one way', () => {
  test.each(RULES)('$rule', ({ find }) => {
    expect(find(repository)).toEqual([]);
  });

  test.each(RULES)('a file that breaks it is found: $rule', ({ find, broken: [path, text] }) => {
    const found = find(withFile(repository, path, text));
    expect(found).toEqual([expect.stringContaining(path.split('/')[0] as string)]);
  });

  test.each(Object.keys(MAY_IMPORT))('%s is a folder that exists, as do those that it may import', (folder) => {
    const folders = new Set(repository.files.map(folderOf));
    expect([folder, ...(MAY_IMPORT[folder]?.folders ?? [])].filter((name) => !folders.has(name))).toEqual([]);
  });

  test.each(HIDDEN_LIBRARIES)('$library is used by the program', ({ library }) => {
    expect(usersOf(library, repository.imports).filter(({ from }) => !isTest(from))).not.toEqual([]);
  });

  test.each(LOADED_LATE)('%s is loaded by the program', (path) => {
    expect(repository.own.filter(({ from, to }) => to === path && !isTest(from))).not.toEqual([]);
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
  const apart = APART.find((folder) => path.startsWith(folder));
  return apart?.slice(0, -1) ?? path.split('/', 1)[0] ?? '';
}

function isTest(path: string): boolean {
  return /\.test\.tsx?$|(^|\/)testing\//.test(path);
}

/** What tests of any folder may use: the real parts, and how YAML is read. */
function isForTests(path: string): boolean {
  return /^(e2e\/lib|kube)\//.test(path) || path === 'bundles/yaml.ts';
}

function isPure(path: string): boolean {
  return PURE.some((folder) => path.startsWith(folder)) && !path.startsWith(EXAMPLES) && !isTest(path);
}

function isOfPages(path: string): boolean {
  return path.startsWith('console/browser/') && path !== BUILD_OF_PAGES && !isTest(path);
}

function usersOf(library: string, imports: readonly Import[]): readonly Import[] {
  return imports.filter(({ to }) => to === library || to.startsWith(`${library}/`));
}

/** Whether a text imports a file by a statement that is no import of types. */
function isImportedAtOnce(text: string | undefined, path: string): boolean {
  const name = path.split('/').at(-1) as string;
  return new RegExp(
    `^\\s*(?:import|export)\\s+(?!type\\b)[^;]*['"][^'"]*/${name.replaceAll('.', '\\.')}['"]`,
    'm',
  ).test(text ?? '');
}

function withoutComments(text = ''): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

function arrow({ from, to }: Import): string {
  return `${from} → ${to}`;
}
