/** The examples for pipelines in deploy/ci are read by parsers, and have only commands of slipway that exist. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRecord } from '../api/untyped.ts';
import { parseYaml } from '../bundles/yaml.ts';
import { DENY_NAMES } from '../cmd/slipway/plan/commands.ts';
import { faultOf, slipwayCommands } from './slipway-commands.ts';
import { readText, repositoryFiles } from './source-files.ts';

const FOLDER = 'deploy/ci/';
const files = repositoryFiles().filter((path) => path.startsWith(FOLDER));
const textOf = (name: string): string => readText(`${FOLDER}${name}`) ?? '';
/** As YAML 1.2, in which `on` is a text, as runners of pipelines read it. */
const dataOf = (name: string): unknown => load(textOf(name));

/** Values for the variables of the examples. */
const GIVEN = { DENY: DENY_NAMES.join(','), TIMEOUT: '15m' };

/** How many commands of slipway each file has. */
const COMMANDS: Readonly<Record<string, number>> = {
  'upgrade.sh': 3,
  'github-actions.yaml': 5,
  'gitlab-ci.yaml': 4,
  'tekton.yaml': 2,
};

test('every file is checked here', () => {
  const others = ['argo-cd-health.lua', 'argo-cd.yaml', 'renovate.json'];
  expect(files).toEqual([...Object.keys(COMMANDS), ...others].map((name) => `${FOLDER}${name}`).sort());
});

describe.each(Object.entries(COMMANDS))('deploy/ci/%s', (name, count) => {
  const commands = slipwayCommands(textOf(name));

  test('has commands, and the program takes each of them', async () => {
    expect(commands).toHaveLength(count);
    for (const words of commands) expect(await faultOf(words, GIVEN), words.join(' ')).toBeUndefined();
  });

  test('stops by rules that exist', () => {
    const rules = [...textOf(name).matchAll(/(?:DENY:-|DENY: |default: )([a-z-]+,[a-z,-]+)/g)].map(([, list]) => list);
    expect(rules).toHaveLength(1);
    expect(rules[0]?.split(',').filter((rule) => !(DENY_NAMES as readonly string[]).includes(rule))).toEqual([]);
  });
});

test.each([
  { because: 'a command that does not exist', line: 'slipway upgarde x', found: 1 },
  { because: 'an option that does not exist', line: 'if true; then slipway wait x --until ready; fi', found: 1 },
  { because: 'a choice that does not exist', line: '- slipway plan x -o html >plan.html', found: 1 },
  { because: 'a rule that does not exist', line: 'slipway plan x --deny "$DENY" \\\n  -o json', found: 1 },
  { because: 'an argument that is missing', line: 'x=$(slipway wait --timeout 5m)', found: 1 },
])('a command is refused for $because', async ({ line, found }) => {
  const commands = slipwayCommands(line);
  expect(commands).toHaveLength(found);
  expect(await faultOf(commands[0] ?? [], { DENY: 'everything' })).toBeDefined();
});

test('the shell script is one for any POSIX shell', () => {
  const { status, stderr } = spawnSync('sh', ['-n', `${FOLDER}upgrade.sh`], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(textOf('upgrade.sh')).toMatch(/^#!\/bin\/sh\n/);
});

describe('the shell script', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-ci-examples-'));
  const FILE = 'beacon.yaml';
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(() => {
    const programs = { slipway: 'echo "$*" >>noted', git: ':' };
    for (const [name, code] of Object.entries(programs)) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${code}\n`);
      chmodSync(join(folder, name), 0o755);
    }
    writeFileSync(join(folder, FILE), 'spec:\n  version: 1.0.0\n');
  });

  /** Runs a job with programs that note their arguments. */
  function run(job: string, variables: Readonly<Record<string, string>>) {
    writeFileSync(join(folder, 'noted'), '');
    const env = { PATH: `${folder}:${process.env['PATH']}`, ...variables };
    const script = join(import.meta.dirname, '..', FOLDER, 'upgrade.sh');
    const { status, stderr } = spawnSync('sh', [script, job], { encoding: 'utf8', cwd: folder, env });
    return { status, stderr, noted: readFileSync(join(folder, 'noted'), 'utf8') };
  }

  test.each([
    { because: 'CATALOG is absent', variables: {}, noted: `outdated --write ${FILE}\n` },
    { because: 'CATALOG is empty', variables: { CATALOG: '' }, noted: `outdated --write ${FILE}\n` },
    {
      because: 'CATALOG names one',
      variables: { CATALOG: 'team/catalog:latest' },
      noted: `outdated --write ${FILE} --catalog team/catalog:latest\n`,
    },
  ])('proposes from the catalog that is named, or else from the cluster: $because', ({ variables, noted }) => {
    const given = { FILE, TARGET: 'lights/beacon', ...variables };
    expect(run('propose', given)).toEqual({ status: 0, stderr: '', noted });
  });

  test.each([
    { missing: 'FILE', job: 'propose', variables: { TARGET: 'lights/beacon' } },
    { missing: 'TARGET', job: 'roll-out', variables: { FILE, TARGET: '' } },
    { missing: 'CATALOG', job: 'check', variables: { FILE, TARGET: 'lights/beacon', CATALOG: '' } },
  ])('ends with 1, and not as if a rule had stopped it, if $missing is not set', ({ missing, job, variables }) => {
    const { status, stderr, noted } = run(job, variables);
    expect({ status, noted }).toEqual({ status: 1, noted: '' });
    expect(stderr).toContain(`${missing} is not set: `);
  });
});

describe('jobs', () => {
  test('of GitHub Actions have an event, a runner, steps and the rights that they need', () => {
    const { jobs, on } = dataOf('github-actions.yaml') as { jobs: Record<string, Record<string, unknown>>; on: object };
    expect(Object.keys(on)).toEqual(['schedule', 'pull_request', 'push']);
    expect(Object.keys(jobs)).toEqual(['propose', 'plan', 'roll-out']);
    for (const job of Object.values(jobs)) {
      expect(Object.keys(job)).toEqual(expect.arrayContaining(['if', 'runs-on', 'permissions', 'steps']));
      for (const step of job['steps'] as Record<string, unknown>[])
        expect(['run', 'uses'].filter((key) => key in step)).toHaveLength(1);
    }
  });

  test('of GitLab have a stage that exists, rules and a script', () => {
    const { stages, variables, default: common, ...jobs } = dataOf('gitlab-ci.yaml') as Record<string, unknown>;
    expect([isRecord(variables), isRecord(common)]).toEqual([true, true]);
    for (const job of Object.values(jobs)) {
      expect(stages).toContain((job as { stage: string }).stage);
      expect(job).toMatchObject({ rules: expect.any(Array) as unknown, script: expect.any(Array) as unknown });
      for (const line of (job as { script: unknown[] }).script) expect(line).toBeTypeOf('string');
    }
  });

  test('of Tekton use only parameters, workspaces and tasks that are declared', () => {
    const objects = parseYaml(textOf('tekton.yaml')).map(({ value }) => value as TektonObject);
    const tasks = new Map(objects.filter(({ kind }) => kind === 'Task').map((one) => [one.metadata.name, one]));
    for (const { metadata, spec } of objects) {
      const used = [...JSON.stringify(spec).matchAll(/\$\(params\.([\w-]+)\)/g)].map(([, name]) => name);
      expect(new Set(used), metadata.name).toEqual(new Set(spec.params.map(({ name }) => name)));
    }
    const pipeline = objects.find(({ kind }) => kind === 'Pipeline');
    for (const { taskRef, params } of pipeline?.spec.tasks ?? []) {
      const needed = tasks.get(taskRef.name)?.spec.params.filter((one) => !('default' in one)) ?? [];
      const missing = needed.filter(({ name }) => !params.some((one) => one.name === name)).map(({ name }) => name);
      expect(missing.filter((name) => name !== 'image')).toEqual([]);
    }
    expect([tasks.size, pipeline?.spec.tasks?.length]).toEqual([2, 2]);
  });
});

interface TektonObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly params: readonly { readonly name: string }[];
    readonly tasks?: readonly {
      readonly taskRef: { readonly name: string };
      readonly params: readonly { readonly name: string }[];
    }[];
  };
}

test('the patch for Argo CD has the script for both kinds', () => {
  const { data } = dataOf('argo-cd.yaml') as { readonly data: Readonly<Record<string, string>> };
  const script = textOf('argo-cd-health.lua');
  expect(data).toEqual({
    'resource.customizations.health.slipway.dev_Subscription': script,
    'resource.customizations.health.slipway.dev_Catalog': script,
  });
});
