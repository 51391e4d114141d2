import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { withLock } from './lock.ts';
import { writeIdentity } from './process-identity.ts';

const folder = mkdtempSync(join(tmpdir(), 'lock-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('one at a time has the lock, and each process gets it', async () => {
  const file = join(folder, 'shared');
  let inside = 0;
  const seen: number[] = [];
  const visit = (): Promise<void> =>
    withLock(file, {}, async () => {
      inside += 1;
      seen.push(inside);
      await Promise.resolve();
      inside -= 1;
    });
  await Promise.all([visit(), visit(), visit()]);
  expect(seen).toEqual([1, 1, 1]);
  expect(existsSync(file)).toBe(false);
});

test('the lock is free again after a failure', async () => {
  const file = join(folder, 'failing');
  await expect(withLock(file, {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(existsSync(file)).toBe(false);
});

test('the lock of a process that has ended is taken over', async () => {
  const file = join(folder, 'left');
  writeIdentity(file, { pid: process.pid, started: '1', boot: 'before' });
  await expect(withLock(file, {}, () => Promise.resolve('mine'))).resolves.toBe('mine');
});
