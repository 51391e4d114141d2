import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TemporaryFolder } from './temporary-folder.ts';

test.each([
  { files: [], because: 'each test has removed its own' },
  { files: ['lock-1', 'registry-test-2'], because: 'two tests have forgotten theirs' },
])('the run finds $files left behind if $because, and removes them', ({ files }) => {
  const folder = new TemporaryFolder();
  for (const file of files) writeFileSync(join(folder.path, file), '');
  expect(folder.remove()).toEqual(files);
  expect(existsSync(folder.path)).toBe(false);
});
