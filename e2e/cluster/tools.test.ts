import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linkerFlags, moduleOf, TOOL_MODULES } from './tools.ts';

const modules = join(import.meta.dirname, 'modules');

test('the folders of modules are those that programs are built from', () => {
  expect(readdirSync(modules).sort()).toEqual(TOOL_MODULES.map(({ name }) => name).sort());
});

test.each(TOOL_MODULES.map((module) => ({ module, name: module.name })))(
  'the module $name pins every package that is built from it as a tool',
  ({ module }) => {
    const goMod = readFileSync(join(modules, module.name, 'go.mod'), 'utf8');
    const tools = goMod.matchAll(/^(?:tool )?\s*([\w./-]+\.[\w./-]+)$/gm);
    expect([...tools].map(([, tool]) => tool)).toEqual(expect.arrayContaining(Object.values(module.programs)));
  },
);

test('the programs of Kubernetes are told the version that their module requires', () => {
  const flags = linkerFlags(moduleOf('kubectl'), 'module x\n\nrequire (\n\tk8s.io/kubernetes v1.36.3 // indirect\n)\n');
  expect(flags).toContain('version.gitVersion=v1.36.3');
  expect(flags).toContain('version.gitMajor=1');
  expect(flags).toContain('version.gitMinor=36');
});

test('a program that no module builds is a mistake of the caller', () => {
  expect(() => moduleOf('helm')).toThrow('helm');
});
