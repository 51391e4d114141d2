/** Keeps one name for one type, and for one function of a folder: a reader who knows a name from one file is not misled in another. */
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { readText, repositoryFiles } from './source-files.ts';
import { functionNamesIn, sharedNames, typesIn, type Declared } from './type-names.ts';

const PRODUCT =
  /^(?:api|apply|bundles|catalog|cmd|console|controllers|kube|oci|plan|resolver|signatures)\/.*(?<!\.test)\.tsx?$/;
const FOR_TESTS = /\/(?:testing|testdata)\//;

/** Folders, or beginnings of paths, whose names are their own. Each has a reason. */
const APART: Readonly<Record<string, string>> = {
  'bundles/examples/': 'a program of its own, from which users copy',
  'console/': 'pages have words of their own: a link, a fact, a view, an action of a person',
};

test.each(Object.keys(APART))('%s exists', (folder) => {
  expect(repositoryFiles().some((path) => path.startsWith(folder))).toBe(true);
});

const all = repositoryFiles()
  .filter((path) => PRODUCT.test(path) && !FOR_TESTS.test(path))
  .flatMap((path) => typesIn(path, readText(path) ?? ''));
const types = all.filter(({ path }) => !Object.keys(APART).some((folder) => path.startsWith(folder)));

test('the types of the product are found', () => {
  expect(types.length).toBeGreaterThan(800);
});

test('each name of a type stands for one type', () => {
  expect(sharedNames(types)).toEqual([]);
});

test('each name of a type of the console stands for one type', () => {
  expect(sharedNames(all.filter(({ path }) => path.startsWith('console/')))).toEqual([]);
});

test.each([
  { text: 'export interface Place {}', because: 'an exported interface is seen wherever it is imported' },
  { text: 'interface Place<Item> {\n}', because: 'a type of one file is read beside the imported one' },
  { text: 'export type Place = string;', because: 'an alias is a type' },
  { text: 'type Place =\n  | string;', because: 'a long alias goes on in the next line' },
  { text: 'export class Place extends Array {}', because: 'a class is a type' },
  { text: 'export abstract class Place {}', because: 'an abstract class is a type' },
])('a second declaration of a name is found: $because', ({ text }) => {
  const first: Declared = { name: 'Place', path: 'oci/a.ts' };
  expect(sharedNames([first, ...typesIn('oci/b.ts', text)])).toEqual(['Place: oci/a.ts, oci/b.ts']);
});

test.each([
  { text: `export type { Place } from './a.ts';`, because: 'a file may pass on the type of another one' },
  { text: `import type { Place } from './a.ts';`, because: 'an import is no declaration' },
  { text: '/*\ntype Place = string;\n*/', because: 'a comment declares nothing' },
  { text: 'function f() {\n  type Place = string;\n}', because: 'a type inside a function is seen there alone' },
])('this is no second declaration: $because', ({ text }) => {
  expect(typesIn('oci/b.ts', text)).toEqual([]);
});

const controllers = repositoryFiles().filter((path) => path.startsWith('controllers/') && PRODUCT.test(path));

test.each([
  ...Map.groupBy(
    controllers.filter((path) => !FOR_TESTS.test(path)),
    (path) => dirname(path),
  ),
])('in %s each name of a function stands for one function', (_, paths) => {
  expect(sharedNames(paths.flatMap((path) => functionNamesIn(path, readText(path) ?? '')))).toEqual([]);
});

test.each([
  { text: 'function hold() {}', because: 'a function of one file is read beside its neighbours' },
  { text: 'export function hold() {}', because: 'an exported function is seen wherever it is imported' },
  { text: 'export async function* hold() {}', because: 'a generator is a function' },
])('a second function of a name is found: $because', ({ text }) => {
  const first: Declared = { name: 'hold', path: 'controllers/plan/a.ts' };
  expect(sharedNames([first, ...functionNamesIn('controllers/plan/b.ts', text)])).toEqual([
    'hold: controllers/plan/a.ts, controllers/plan/b.ts',
  ]);
});
