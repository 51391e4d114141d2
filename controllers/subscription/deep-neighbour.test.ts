/** In a process of its own: the threads of tests have larger stacks than the manager. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, 'testing/deep-neighbour.ts');

async function outcomesOf(act: 'decide' | 'write'): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, act]);
  return JSON.parse(stdout) as unknown;
}

test('a configuration that is as deep as the API server takes stops neither its neighbours nor its own uninstall', async () => {
  expect(await outcomesOf('decide')).toEqual({
    victim: { kind: 'resolved', revisions: 0 },
    tenant: { kind: 'resolved', revisions: 1 },
    uninstall: { kind: 'uninstall', revisions: 1 },
  });
});

test('JSON is written as deep as the API server takes it', async () => {
  expect(await outcomesOf('write')).toEqual([true, true, true]);
});
