/** Keeps the state of product code in classes, and its functions short. */
import { expect, test } from 'vitest';
import { functionsIn } from './functions.ts';
import { readText, repositoryFiles } from './source-files.ts';

const MOST_LINES = 60;
const MOST_SHARED = 3;

const PRODUCT =
  /^(?:api|apply|bundles|catalog|cmd|console|controllers|kube|oci|plan|resolver|signatures)\/.*(?<!\.test)\.tsx?$/;
const FOR_TESTS = /\/testing\//;

/** Functions that may be larger. Each has a reason. */
const ALLOWED: Readonly<Record<string, string>> = {};

const functions = repositoryFiles()
  .filter((path) => PRODUCT.test(path) && !FOR_TESTS.test(path))
  .flatMap((path) =>
    functionsIn(readText(path) ?? '', path.endsWith('.tsx') ? 'tsx' : 'ts').map((facts) => ({
      ...facts,
      at: `${path}: ${facts.name}`,
    })),
  );

test('the functions of the product are found', () => {
  expect(functions.length).toBeGreaterThan(2000);
});

test('no function of product code is longer than 60 lines', () => {
  const long = functions.filter(({ at, lines }) => lines > MOST_LINES && ALLOWED[at] === undefined);
  expect(long.map(({ at, lines }) => `${at} has ${lines} lines`)).toEqual([]);
});

test('no function of product code shares more than three variables with its inner functions: it would be a class', () => {
  const closures = functions.filter(({ at, shared }) => shared.length > MOST_SHARED && ALLOWED[at] === undefined);
  expect(closures.map(({ at, shared }) => `${at} shares ${shared.join(', ')}`)).toEqual([]);
});

test('each exception is still needed', () => {
  const needed = functions.filter(({ lines, shared }) => lines > MOST_LINES || shared.length > MOST_SHARED);
  const names = new Set(needed.map(({ at }) => at));
  expect(Object.keys(ALLOWED).filter((at) => !names.has(at))).toEqual([]);
});

test.each([
  { because: 'no inner function uses it', body: 'let a = 1; a += 1; return a;', shared: [] },
  { because: 'an inner function writes it', body: 'let a = 1; return { add() { a += 1; } };', shared: ['a'] },
  { because: 'an inner function reads it', body: 'let a = 1; return () => a;', shared: ['a'] },
  {
    because: 'a function inside of an inner function uses it',
    body: 'let a = 1; return () => () => a;',
    shared: ['a'],
  },
  { because: 'it stands in a block', body: 'for (;;) { let a = 1; later(() => a); }', shared: ['a'] },
  { because: 'it is bound by a pattern', body: 'let { b: a, ...c } = d; return () => [a, c];', shared: ['a', 'c'] },
  { because: 'a method of a class uses it', body: 'let a = 1; return class { b() { return a; } };', shared: ['a'] },
  { because: 'a constant has no state', body: 'const a = new Map(); return () => a;', shared: [] },
  { because: 'it is only the name of a member', body: 'let a = 1; return (b: B) => b.a;', shared: [] },
  { because: 'it is only the name of a field', body: 'let a = 1; return () => ({ a: 1 });', shared: [] },
  { because: 'the short form of a field reads it', body: 'let a = 1; return () => ({ a });', shared: ['a'] },
  {
    because: 'the inner function declares its own',
    body: 'let a = 1; return () => { const a = 2; return a; };',
    shared: [],
  },
  { because: 'a parameter has the name', body: 'let a = 1; return (a: number) => a;', shared: [] },
  { because: 'only a type has the name', body: 'let a = 1; return (b: a) => b;', shared: [] },
])('the shared variables of a function are $shared: $because', ({ body, shared }) => {
  const [outer] = functionsIn(`function f() { ${body} }`);
  expect(outer).toMatchObject({ name: 'f', shared });
});

test.each([
  { because: 'a declaration', source: '\nfunction f() {\n}', found: [{ name: 'f', line: 2, lines: 2 }] },
  { because: 'a constant', source: 'const f = () =>\n1;', found: [{ name: 'f', line: 1, lines: 2 }] },
  { because: 'a method', source: 'class A {\n  f() {}\n}', found: [{ name: 'f', line: 2, lines: 1 }] },
  { because: 'a field of an object', source: 'g({ f: () => 1 });', found: [{ name: 'f', line: 1, lines: 1 }] },
  {
    because: 'a handler in an element',
    source: 'const A = () => (\n<b onClick={() => {\n}}>text</b>);',
    found: [
      { name: 'A', line: 1, lines: 3 },
      { name: 'A', line: 2, lines: 2 },
    ],
  },
])('the name, the line and the length of a function are known: $because', ({ source, found }) => {
  expect(functionsIn(source, 'tsx')).toMatchObject(found);
});
