import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLogReader, findDefect } from './log-reader.ts';

const stack = 'TypeError: x\n    at y (z.ts:1:2)\n    at other';

test.each([
  {
    line: { level: 50, err: { type: 'TypeError', message: 'x', stack } },
    is: true,
    because: 'the failure has no reason',
  },
  {
    line: { level: 50, err: { type: 'ApiError', message: 'x', reason: 'Forbidden' } },
    is: false,
    because: 'it has one',
  },
  { line: { level: 40, err: { type: 'Error', message: 'x', stack } }, is: false, because: 'a warning is none' },
  { line: { level: 30, msg: 'serving' }, is: false, because: 'nothing is wrong' },
  { line: 'FATAL ERROR: heap out of memory', is: true, because: 'only an end of the process is not JSON' },
])('a line is a defect: $is, for $because', ({ line, is }) => {
  expect(findDefect(typeof line === 'string' ? line : JSON.stringify(line)) !== undefined).toBe(is);
});

test('a log is read as it grows, lines that are not complete later, and equal defects count', () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-reader-'));
  try {
    const file = join(folder, 'log');
    const line = JSON.stringify({ level: 50, err: { type: 'TypeError', message: 'x', stack } });
    writeFileSync(file, `${line}\n${line.slice(0, 10)}`);
    const reader = createLogReader(file);
    reader.read();
    expect([reader.lines(), reader.defects()[0]?.count]).toEqual([1, 1]);
    appendFileSync(file, `${line.slice(10)}\n`);
    reader.read();
    expect(reader.lines()).toBe(2);
    expect(reader.defects()).toEqual([{ message: 'TypeError: x', at: 'at y (z.ts:1:2)', count: 2 }]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
