import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRunning } from '../../../kube/testing/is-running.ts';
import { runHelper } from './run-helper.ts';

let folder: string;
const program = (): string => join(folder, 'helper');
const started = (): string => join(folder, 'started');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-helper-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function become(script: string): void {
  writeFileSync(program(), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
}

const variables = { PATH: '/usr/bin:/bin' };
const patienceSeconds = 1;

test('a program gets its input, and its output and exit code are returned', async () => {
  become('read -r server; echo "$1 $server"; exit 3');
  const { signal } = new AbortController();
  const result = await runHelper({ variables, signal }, { program: program(), input: 'registry.example\n' });
  expect(result).toEqual({ code: 3, output: 'get registry.example\n' });
});

test.each([
  { because: 'it does not end', script: 'wait' },
  { because: 'it has ended, and a program that it has started holds its output', script: 'exit 0' },
])('a program is ended in time, with all that it has started: $because', async ({ script }) => {
  become(`sleep 600 &\necho $! > '${started()}'\n${script}`);
  const { signal } = new AbortController();
  const run = runHelper({ variables, signal }, { program: program(), input: '', patienceSeconds });
  await expect(run).rejects.toThrow('did not end within 1 s');
  await expect.poll(() => isRunning(readFileSync(started(), 'utf8').trim())).toBe(false);
});

test('a program is ended, with all that it has started, if the run is aborted', async () => {
  become(`sleep 600 &\necho $! > '${started()}'\nwait`);
  const controller = new AbortController();
  const run = runHelper({ variables, signal: controller.signal }, { program: program(), input: '' });
  await expect.poll(() => readFileSync(started(), 'utf8').trim()).not.toBe('');
  controller.abort(new Error('no longer wanted'));
  await expect(run).rejects.toThrow('no longer wanted');
  await expect.poll(() => isRunning(readFileSync(started(), 'utf8').trim())).toBe(false);
});
