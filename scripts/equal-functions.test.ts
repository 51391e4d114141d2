/** Keeps each function of product code in one place. */
import { expect, test } from 'vitest';
import { declaredFunctions, equalFunctions } from './equal-functions.ts';
import { readText, repositoryFiles } from './source-files.ts';

/** Shorter bodies are often equal by chance. */
const LEAST_CHARACTERS = 60;

const PRODUCT =
  /^(?:adoption|api|apply|bundles|catalog|cmd|console|controllers|kube|oci|plan|report|resolver|signatures)\/.*(?<!\.test)\.tsx?$/;
const FOR_TESTS = /\/(?:testing|testdata)\//;

/** Functions that may be equal. Each has a reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  'api/object.ts: groupOf, kube/client/fair-list.ts: namespaceOf':
    'the group of an API version and the namespace of a key are both before a slash, by different rules',
};

const functions = repositoryFiles()
  .filter((path) => PRODUCT.test(path) && !FOR_TESTS.test(path))
  .flatMap((path) => declaredFunctions(path, readText(path) ?? ''));
const equal = equalFunctions(functions, LEAST_CHARACTERS);

test('the functions of the product are found', () => {
  expect(functions.length).toBeGreaterThan(4000);
});

test('no function of product code is written twice', () => {
  expect(equal.filter((group) => ALLOWED[group] === undefined)).toEqual([]);
});

test('each exception is still needed', () => {
  expect(Object.keys(ALLOWED).filter((group) => !equal.includes(group))).toEqual([]);
});

const first = 'function nameOf(one: Named): string {\n  return one.name.trim();\n}';

test.each([
  { text: first.replaceAll('nameOf', 'titleOf'), because: 'another name does not make it another function' },
  { text: `export ${first}`, because: 'one of them may be exported' },
  { text: first.replaceAll('one', 'object'), because: 'a parameter may have another name' },
  { text: first.replace('return', '// why\n  return /* how */'), because: 'a comment does nothing' },
  { text: first.replaceAll('\n', ''), because: 'lines may break elsewhere' },
])('a function that is written again is found: $because', ({ text }) => {
  const found = [...declaredFunctions('a.ts', first), ...declaredFunctions('b.ts', text)];
  expect(equalFunctions(found, 1)).toEqual([expect.stringMatching(/^a\.ts: nameOf, b\.ts: (?:nameOf|titleOf)$/)]);
});

test.each([
  { text: first.replace('trim', 'trimEnd'), because: 'it calls another method' },
  { text: first.replace('one.name', 'two.name'), because: 'it reads another variable' },
  { text: first.replace('function', 'const f = function'), because: 'only declarations are compared' },
])('this is another function: $because', ({ text }) => {
  expect(equalFunctions([...declaredFunctions('a.ts', first), ...declaredFunctions('b.ts', text)], 1)).toEqual([]);
});
