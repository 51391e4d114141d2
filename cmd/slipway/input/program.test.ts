/** Programs of the author, such as kubectl and helm: their output, and that nothing of them is left behind. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRunning } from '../../../kube/testing/is-running.ts';
import type { Environment } from '../environment.ts';
import { runProgram } from './program.ts';

let folder: string;
const started = (): string => join(folder, 'started');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-program-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function runScript(script: string, signal = new AbortController().signal): Promise<Uint8Array> {
  const program = join(folder, 'program');
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  const environment = { variables: { PATH: '/usr/bin:/bin' }, folder, signal } as unknown as Environment;
  return runProgram(environment, { program, args: ['build'], ifMissing: 'Install it' });
}

test('the output of a program is returned', async () => {
  expect(Buffer.from(await runScript('echo "$1"')).toString()).toBe('build\n');
});

test('a program that fails is reported with the last lines of its errors', async () => {
  await expect(runScript('echo no chart >&2; exit 3')).rejects.toMatchObject({
    reason: 'InputInvalid',
    message: expect.stringContaining('no chart') as string,
  });
});

test('a program that is not there is reported with the remedy', async () => {
  const environment = { variables: {}, folder, signal: new AbortController().signal } as unknown as Environment;
  const run = runProgram(environment, { program: join(folder, 'none'), args: [], ifMissing: 'Install it' });
  await expect(run).rejects.toMatchObject({ reason: 'InputInvalid', hint: 'Install it' });
});

test.each([
  { because: 'it waits for them', script: 'wait' },
  { because: 'it has ended, and one of them holds its output', script: 'exit 0' },
  { because: 'it ignores that it is asked to end', script: "trap '' TERM\nwait" },
])('a program is ended with all that it has started if the run is aborted: $because', async ({ script }) => {
  const controller = new AbortController();
  const run = runScript(`sleep 600 &\necho $! > '${started()}'\n${script}`, controller.signal);
  await expect.poll(() => readFileSync(started(), 'utf8').trim()).not.toBe('');
  controller.abort(new Error('interrupted'));
  await expect(run).rejects.toThrow('interrupted');
  await expect.poll(() => isRunning(readFileSync(started(), 'utf8').trim())).toBe(false);
});

test('a program is not started if the run was aborted before', async () => {
  const run = runScript(`echo > '${started()}'`, AbortSignal.abort(new Error('interrupted')));
  await expect(run).rejects.toThrow('interrupted');
  expect(() => readFileSync(started())).toThrow('ENOENT');
});
