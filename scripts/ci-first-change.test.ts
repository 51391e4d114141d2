/** The examples for pipelines plan the first change of an operator, whose file the base branch lacks, and each later one. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseYaml } from '../bundles/yaml.ts';
import { readText } from './source-files.ts';

const textOf = (name: string): string => readText(`deploy/ci/${name}`) ?? '';

interface GitHubJobs {
  readonly jobs: { readonly plan: { readonly steps: readonly { readonly name?: string; readonly run?: string }[] } };
}

interface TektonTask {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly steps: readonly { readonly script: string }[] };
}

/** The commands that plan, as each runner hands them to its shell. */
const SCRIPTS: Readonly<Record<string, () => string | undefined>> = {
  'github-actions.yaml': () =>
    (load(textOf('github-actions.yaml')) as GitHubJobs).jobs.plan.steps.find(({ name }) => name?.startsWith('Plan'))
      ?.run,
  'gitlab-ci.yaml': () =>
    (load(textOf('gitlab-ci.yaml')) as { readonly plan: { readonly script: readonly string[] } }).plan.script.join(
      '\n',
    ),
  'tekton.yaml': () =>
    parseYaml(textOf('tekton.yaml'))
      .map(({ value }) => value as TektonTask)
      .find(({ metadata }) => metadata.name === 'slipway-plan')?.spec.steps[0]?.script,
};

const folder = mkdtempSync(join(tmpdir(), 'slipway-ci-first-change-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => {
  const programs = {
    slipway: 'printf "<%s>" "$@" >"$NOTED"',
    git: '[ -n "$FROM" ] && printf "spec:\\n  version: %s\\n" "$FROM"',
  };
  for (const [name, code] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${code}\n`);
    chmodSync(join(folder, name), 0o755);
  }
});

/** Runs in the strictest shell of the runners, with a `git` that has the file of a version on the base branch, or none. */
function plan(script: string, version: string) {
  const noted = join(folder, 'noted');
  writeFileSync(noted, '');
  const { status, stderr } = spawnSync('bash', ['--norc', '-eo', 'pipefail', '-c', script], {
    encoding: 'utf8',
    cwd: folder,
    env: {
      PATH: `${folder}:${process.env['PATH']}`,
      NOTED: noted,
      FROM: version,
      FILE: 'beacon.yaml',
      CATALOG: 'c',
      DENY: 'd',
      BASE: 'main',
      CI_MERGE_REQUEST_DIFF_BASE_SHA: 'main',
      GITHUB_STEP_SUMMARY: join(folder, 'summary'),
    },
  });
  return { status, stderr, noted: readFileSync(noted, 'utf8') };
}

describe.each(Object.entries(SCRIPTS))('deploy/ci/%s', (_name, scriptOf) => {
  test.each([
    { because: 'the base branch lacks the file, so an installation is planned', version: '', words: '' },
    { because: 'the base branch has a version, which is planned from', version: '1.0.0', words: '<--from><1.0.0>' },
  ])('plans the change: $because', ({ version, words }) => {
    expect(plan(scriptOf() ?? '', version)).toEqual({
      status: 0,
      stderr: '',
      noted: `<plan><--file><beacon.yaml><--catalog><c>${words}<--deny><d><-o><markdown>`,
    });
  });
});

test('the pipeline for Tekton can be started without the installed version', () => {
  const objects = parseYaml(textOf('tekton.yaml')).map(({ value }) => value as PipelineParams);
  const from = objects.flatMap(({ spec }) => spec.params.filter(({ name }) => name === 'from'));
  expect(from.map((one) => one.default)).toEqual(['', '']);
});

interface PipelineParams {
  readonly spec: { readonly params: readonly { readonly name: string; readonly default?: string }[] };
}
