import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { identify, isAlive, readIdentity, signal, writeIdentity, type ProcessIdentity } from './process-identity.ts';

const folder = mkdtempSync(join(tmpdir(), 'process-identity-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a process is known again from the file that names it', () => {
  const self = identify(process.pid)!;
  writeIdentity(join(folder, 'self'), self);
  expect(readIdentity(join(folder, 'self'))).toEqual(self);
  expect(isAlive(self)).toBe(true);
});

test.each<[string, Partial<ProcessIdentity>, string]>([
  ['another start time', { started: '1' }, 'the pid was given to another process'],
  ['another boot', { boot: 'before' }, 'start times are counted from the boot'],
])('%s under the same pid is another process, and is never signalled', async (_title, difference, _because) => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const other = { ...identify(child.pid!)!, ...difference };
  expect(isAlive(other)).toBe(false);
  expect(signal(other, 'SIGKILL')).toBe(false);
  expect(child.exitCode ?? child.signalCode).toBeNull();
  expect(signal(identify(child.pid!)!, 'SIGKILL')).toBe(true);
  await once(child, 'exit');
});

test('a process that ended is not alive, whether it was waited for or not', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const identity = identify(child.pid!)!;
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isAlive(identity)).toBe(false);
  expect(identify(child.pid!)).toBeUndefined();
});

test.each([
  ['', 'the writer died before the first byte'],
  ['12', 'the writer died in the middle'],
  ['12 34 boot', 'the line has no end'],
  ['-1 34 boot\n', 'a negative pid would mean a whole group'],
])('a file that says %j names no process, because %s', (text) => {
  writeFileSync(join(folder, 'broken'), text);
  expect(readIdentity(join(folder, 'broken'))).toBeUndefined();
});
