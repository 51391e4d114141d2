import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clusterFolder, clustersFolder, createClusterFolder, reapClusters, removeCluster } from './folders.ts';
import { identify, writeIdentity } from './process-identity.ts';

const ENDED = { pid: process.pid, started: '1', boot: 'before' };

test('no other user can read the folder of the keys', () => {
  expect(lstatSync(clustersFolder()).mode & 0o077).toBe(0);
});

test.each(['../other', '.new-x', 'A', ''])('%j is no name for a cluster', (name) => {
  expect(() => clusterFolder(name)).toThrow('Not a name');
});

test('there is one cluster of a name', () => {
  const folder = createClusterFolder('folders-test');
  expect(() => createClusterFolder('folders-test')).toThrow('already');
  removeCluster(folder);
  expect(existsSync(folder)).toBe(false);
});

test('what an ended owner left is killed and removed, but nothing that only has the same pid', async () => {
  const [left, stranger] = [spawn('sleep', ['60']), spawn('sleep', ['60'])];
  await Promise.all([once(left, 'spawn'), once(stranger, 'spawn')]);
  const folder = createClusterFolder();
  writeIdentity(join(folder, 'creator'), ENDED);
  writeIdentity(join(folder, 'pids', 'left'), identify(left.pid!)!);
  writeIdentity(join(folder, 'pids', 'stranger'), { ...identify(stranger.pid!)!, started: '1' });
  writeFileSync(join(folder, 'pids', 'broken'), '1');
  expect(reapClusters().map((name) => clusterFolder(name))).toContain(folder);
  await once(left, 'exit');
  expect(existsSync(folder)).toBe(false);
  expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
  stranger.kill();
});

test.each(['creator', 'supervisor'])('a cluster whose %s lives is left alone', (keeper) => {
  const folder = createClusterFolder();
  for (const file of ['creator', 'supervisor']) writeIdentity(join(folder, file), ENDED);
  writeIdentity(join(folder, keeper), identify(process.pid)!);
  reapClusters();
  expect(existsSync(folder)).toBe(true);
  removeCluster(folder);
});
