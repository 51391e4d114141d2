import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHECK_PROGRAMS, CONTROL_PLANE_PROGRAMS, linkerFlags, moduleOf, NODE_PROGRAMS, TOOL_MODULES } from './tools.ts';

const modules = join(import.meta.dirname, 'modules');

test('the folders of modules are those that programs are built from', () => {
  expect(readdirSync(modules).sort()).toEqual(TOOL_MODULES.map(({ name }) => name).sort());
});

test('every program that a module builds is used, and every program that is used is built', () => {
  const built = TOOL_MODULES.flatMap(({ programs }) => Object.keys(programs));
  expect([...CONTROL_PLANE_PROGRAMS, ...NODE_PROGRAMS, ...CHECK_PROGRAMS].toSorted()).toEqual(built.toSorted());
});

test.each(TOOL_MODULES.filter(({ name }) => name !== 'pod').map((module) => ({ module, name: module.name })))(
  'the module $name pins every package that is built from it as a tool',
  ({ module }) => {
    const goMod = readFileSync(join(modules, module.name, 'go.mod'), 'utf8');
    const tools = goMod.matchAll(/^(?:tool )?\s*([\w./-]+\.[\w./-]+)$/gm);
    expect([...tools].map(([, tool]) => tool)).toEqual(expect.arrayContaining(Object.values(module.programs)));
  },
);

test('the programs of Kubernetes report the version that their module requires', () => {
  const flags = linkerFlags(moduleOf('kubectl'), 'module x\n\nrequire (\n\tk8s.io/kubernetes v1.36.3 // indirect\n)\n');
  expect(flags).toContain('version.gitVersion=v1.36.3');
  expect(flags).toContain('version.gitMajor=1');
  expect(flags).toContain('version.gitMinor=36');
});

test('a program that no module builds is a mistake of the caller', () => {
  expect(() => moduleOf('sailor')).toThrow('sailor');
});
