import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../lib/manager.ts';
import { commandsOf, outputsOf } from './go-build.ts';
import {
  CHECK_PROGRAMS,
  compilerFlags,
  CONTROL_PLANE_PROGRAMS,
  linkerFlags,
  moduleOf,
  NODE_PROGRAMS,
  OLM_PROGRAMS,
  OLM_V1_PROGRAMS,
  programsOf,
  REPEATABLE,
  TOOL_MODULES,
  type ToolModule,
} from './tools.ts';

const modules = join(import.meta.dirname, 'modules');

test('the folders of modules are those that programs are built from', () => {
  expect(readdirSync(modules).sort()).toEqual(TOOL_MODULES.map(({ name }) => name).sort());
});

test('every program that a module builds is used, and every program that is used is built', () => {
  const built = TOOL_MODULES.flatMap(({ programs }) => Object.keys(programs));
  const used = [CONTROL_PLANE_PROGRAMS, NODE_PROGRAMS, OLM_PROGRAMS, OLM_V1_PROGRAMS, CHECK_PROGRAMS].flat();
  expect(used.toSorted()).toEqual(built.toSorted());
});

const goModOf = (module: string): string => readFileSync(join(modules, module, 'go.mod'), 'utf8');

/** The packages of other projects; a program of ours lies in the module itself. */
const fetchedBy = ({ programs }: ToolModule): readonly string[] =>
  Object.values(programs).filter((path) => !path.startsWith('slipway.dev/'));

const FETCHING = TOOL_MODULES.filter((module) => fetchedBy(module).length > 0);

test.each(FETCHING.map((module) => ({ module, name: module.name })))(
  'the module $name pins every package that is built from it as a tool',
  ({ module }) => {
    const tools = goModOf(module.name).matchAll(/^(?:tool )?\s*([\w./-]+\.[\w./-]+)$/gm);
    expect([...tools].map(([, tool]) => tool)).toEqual(expect.arrayContaining([...fetchedBy(module)]));
  },
);

test('the registry is that of the project distribution, without the clients of three clouds and exporters of traces', () => {
  const goMod = goModOf('registry');
  expect(goMod).toMatch(/^\tgithub\.com\/distribution\/distribution\/v3 v3\./m);
  expect(goMod).not.toMatch(/aws|azure|cloud\.google|otlp/i);
});

test('the programs of Kubernetes report the version that their module requires', () => {
  const flags = linkerFlags(moduleOf('kubectl'), 'module x\n\nrequire (\n\tk8s.io/kubernetes v1.36.3 // indirect\n)\n');
  expect(flags).toContain('version.gitVersion=v1.36.3');
  expect(flags).toContain('version.gitMajor=1');
  expect(flags).toContain('version.gitMinor=36');
});

test('of Kubernetes only what is rarely run is not optimized', () => {
  const flags = compilerFlags(moduleOf('kube-apiserver'));
  expect(flags[0]).toBe('-gcflags=all=-dwarf=false');
  expect(flags).toContain('-gcflags=k8s.io/kubectl/...=-dwarf=false -N -l');
  for (const hot of ['apiserver', 'apimachinery', 'apiextensions-apiserver', 'client-go/tools', 'client-go'])
    expect(flags.join(' ')).not.toContain(`k8s.io/${hot}/...`);
  expect(compilerFlags(moduleOf('crane'))).toEqual(['-gcflags=all=-dwarf=false']);
});

test("make compiles Go's library with the flags of the build, which would compile it again otherwise", () => {
  const flags = [...REPEATABLE, ...compilerFlags(moduleOf('crane'))];
  expect(readFileSync(join(ROOT, 'Makefile'), 'utf8')).toContain(`go build ${flags.join(' ')} $(GO_LIBRARY)`);
});

test('a program that no module builds is a mistake of the caller', () => {
  expect(() => moduleOf('sailor')).toThrow('sailor');
});

const TOOLS = ['kubectl', 'crane'];
const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;

test.each([
  { components: ['registry'], node: 'fake', needed: ['registry', ...TOOLS], because: 'it has a registry alone' },
  {
    components: ['etcd', 'kube-apiserver'],
    node: 'fake',
    needed: ['etcd', 'kube-apiserver', ...TOOLS],
    because: 'it has an API server alone',
  },
  {
    components: ['etcd', ...CONTROL_PLANE, 'registry'],
    node: 'real',
    needed: ['etcd', ...CONTROL_PLANE, 'registry', ...TOOLS, ...NODE_PROGRAMS],
    because: 'a real node takes the place of kwok',
  },
] as const)('a cluster of $components with a $node node needs no other programs: $because', (row) => {
  expect(programsOf(row.components, { node: row.node }).toSorted()).toEqual([...row.needed].toSorted());
});

test.each([
  { programs: { etcd: 'go.etcd.io/etcd/server/v3' }, files: { etcd: 'etcd' }, because: 'Go is given the name' },
  {
    programs: { kubectl: 'k8s.io/kubernetes/cmd/kubectl', kubelet: 'k8s.io/kubernetes/cmd/kubelet' },
    files: { kubectl: 'kubectl', kubelet: 'kubelet' },
    because: 'of several, each has the name of its folder',
  },
  {
    programs: { etcd: 'go.etcd.io/etcd/server/v3', kwok: 'sigs.k8s.io/kwok/cmd/kwok' },
    files: { etcd: 'server', kwok: 'kwok' },
    because: 'a major version names no program',
  },
])('Go writes $files: $because', ({ programs, files }) => {
  expect(Object.fromEntries(outputsOf(programs as unknown as Record<string, string>))).toEqual(files);
});

test.each(TOOL_MODULES)('the commands that build $name write a file of its own for each program', ({ programs }) => {
  const commands = commandsOf(programs);
  expect(Object.assign({}, ...commands)).toEqual(programs);
  for (const command of commands) {
    const files = outputsOf(command);
    expect(new Set(files.values()).size).toBe(files.size);
  }
});
