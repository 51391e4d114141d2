import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { clusterFolder } from './folders.ts';
import { clusterStatus, stopNamed } from './named.ts';
import { identify } from './process-identity.ts';

const NAME = `main-test-${process.pid}`;

afterAll(() => stopNamed(NAME));

test('a cluster that is brought up stays after the command, is found again, and is gone when taken down', async () => {
  const first = await run('up');
  expect(first).toContain(`export KUBECONFIG=${join(clusterFolder(NAME), 'kubeconfig')}`);
  expect(first).toContain(`make cluster-down NAME=${NAME}`);
  expect(existsSync(join(clusterFolder(NAME), 'bin', 'kubectl'))).toBe(true);
  const pids = [...clusterStatus(NAME)!.processes.values()];
  expect(pids.filter((pid) => identify(pid) !== undefined)).toHaveLength(6);
  expect(await run('up')).toBe(first.slice(first.indexOf('The cluster')));
  expect(await run('status')).toContain('kube-apiserver');
  expect(await run('down')).toContain('is stopped and removed');
  expect(pids.filter((pid) => identify(pid) !== undefined)).toEqual([]);
  expect(existsSync(clusterFolder(NAME))).toBe(false);
  expect(await run('down')).toContain('There is no cluster');
});

test('a word that is no command is answered with those that are', async () => {
  await expect(run('start')).rejects.toThrow('build | up | down | status');
});

async function run(verb: string): Promise<string> {
  const program = join(import.meta.dirname, 'main.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, verb, '--name', NAME]);
  return stdout;
}
