/** Keeps support for tests out of the folders of the product: its code lies in `testing/`, its data in `testdata/`. */
import { describe, expect, test } from 'vitest';
import { importsOf, isSource, readText, repositoryFiles } from './source-files.ts';

/** Files that a person, a Pod or a build starts; every file of the product is reached from one of them. */
const PROGRAMS: readonly { readonly path: string; readonly because: string }[] = [
  { path: 'cmd/manager/main.ts', because: 'the manager' },
  { path: 'cmd/slipway/main.ts', because: 'the command line' },
  { path: 'cmd/console/main.ts', because: 'the console in a cluster' },
  { path: 'catalog/index/worker.ts', because: 'a thread of both, which is started by its path' },
  { path: 'bundles/examples/beacon-operator/program/main.ts', because: 'the operator of the examples' },
  { path: 'console/browser/main.tsx', because: 'the pages of the console, which run in a browser' },
  { path: 'scripts/generate.ts', because: 'it writes what is generated from the product' },
  { path: 'scripts/build/main.ts', because: 'it builds the programs and their image' },
];

/** Folders that ship nothing: they hold tests, and programs for those who develop. */
const WITHOUT_PRODUCT = /^(?:e2e|scripts)\/|^[^/]+$/;

const FOR_TESTS = /\.test\.tsx?$|(?:^|\/)testing\//;

/** The text of each source file by its path. */
type Sources = ReadonlyMap<string, string>;

const repository: Sources = new Map(
  repositoryFiles()
    .filter(isSource)
    .map((path) => [path, readText(path) ?? '']),
);
const programs = PROGRAMS.map(({ path }) => path);

test('a file of the product that no program reaches is support for tests, and lies in a folder testing/', () => {
  expect(strayFiles(repository, programs)).toEqual([]);
});

test('a folder testdata/ holds data, and no code', () => {
  expect([...repository.keys()].filter((path) => /(?:^|\/)testdata\//.test(path))).toEqual([]);
});

test.each(PROGRAMS)('the program $path exists: $because', ({ path }) => {
  expect(repository.has(path)).toBe(true);
});

describe('the search for files that only tests reach', () => {
  const SHOP: Readonly<Record<string, string>> = {
    'cmd/main.ts': `import { sell } from '../shop/sell.ts';`,
    'shop/sell.ts': `import type { Price } from './price.ts';\nexport const sell = 1;`,
    'shop/price.ts': `export interface Price {}`,
    'shop/sell.test.ts': `import { sell } from './sell.ts';`,
  };

  test.each([
    { because: 'a program reaches every file, one of them for its types alone', files: {}, stray: [] },
    {
      because: 'only a test imports the fake',
      files: { 'shop/fake-till.ts': '', 'shop/till.test.ts': `import './fake-till.ts';` },
      stray: ['shop/fake-till.ts'],
    },
    {
      because: 'a fake that is reached through another file for tests serves tests alone',
      files: { 'shop/testing/scene.ts': `import '../fake-till.ts';`, 'shop/fake-till.ts': '' },
      stray: ['shop/fake-till.ts'],
    },
    {
      because: 'a program does not reach what a test reaches, although the program is tested',
      files: { 'cmd/main.test.ts': `import './main.ts';\nimport './case.ts';`, 'cmd/case.ts': '' },
      stray: ['cmd/case.ts'],
    },
    { because: 'no file imports it', files: { 'shop/forgotten.ts': '' }, stray: ['shop/forgotten.ts'] },
    {
      because: 'files in testing/ lie where they belong',
      files: { 'shop/testing/fake-till.ts': '', 'shop/till.test.ts': `import './testing/fake-till.ts';` },
      stray: [],
    },
    {
      because: 'a program loads the file when it is needed',
      files: { 'shop/sell.ts': `const late = () => import('./late.ts');`, 'shop/late.ts': `import './price.ts';` },
      stray: [],
    },
    { because: 'stories hold tests only', files: { 'e2e/stories/scene.ts': '' }, stray: [] },
  ])('finds $stray: $because', ({ files, stray }) => {
    expect(strayFiles(new Map(Object.entries({ ...SHOP, ...files })), ['cmd/main.ts'])).toEqual(stray);
  });
});

/** The files among the product's that no program reaches. */
function strayFiles(sources: Sources, from: readonly string[]): readonly string[] {
  const reached = reachable(sources, from);
  return [...sources.keys()].filter(
    (path) => !reached.has(path) && !WITHOUT_PRODUCT.test(path) && !FOR_TESTS.test(path),
  );
}

function reachable(sources: Sources, from: readonly string[]): ReadonlySet<string> {
  const reached = new Set(from);
  // a set that grows while it is walked is walked to its end
  for (const path of reached) {
    for (const { to, isOwn } of importsOf(path, sources.get(path) ?? '')) if (isOwn) reached.add(to);
  }
  return reached;
}
