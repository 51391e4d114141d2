/** Keeps files from importing each other in a circle, types included: such files can only be understood together. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const OXLINT = join(ROOT, 'node_modules/oxlint/bin/oxlint');
const CONFIG = join(import.meta.dirname, 'circles.oxlintrc.json');

test('no files of the repository import each other in a circle', async () => {
  expect(await filesInCircles(ROOT)).toEqual([]);
});

test.each([
  {
    because: 'a circle of values breaks while modules are loaded',
    files: { 'a.ts': `import { b } from './b.ts';\nexport const a = b;`, 'b.ts': `export { a as b } from './a.ts';` },
    circle: ['a.ts', 'b.ts'],
  },
  {
    because: 'a circle of types loads, but none of its files can be read alone',
    files: {
      'a.ts': `import type { B } from './b.ts';\nexport type A = B[];`,
      'b.ts': `import type { C } from './c.ts';\nexport type B = C[];`,
      'c.ts': `import type { A } from './a.ts';\nexport type C = A[];`,
    },
    circle: ['a.ts', 'b.ts', 'c.ts'],
  },
  {
    because: 'two users of one file are no circle',
    files: {
      'a.ts': `import { c } from './c.ts';\nexport const a = c;`,
      'b.ts': `import { a } from './a.ts';\nimport { c } from './c.ts';\nexport const b = a + c;`,
      'c.ts': `export const c = 1;`,
    },
    circle: [],
  },
])('the search for circles between files finds $circle: $because', async ({ files, circle }) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-circles-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  expect(await filesInCircles(folder)).toEqual(circle);
});

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
}

/** The files below a folder that import each other, as the linter's module graph has them. */
async function filesInCircles(folder: string): Promise<readonly string[]> {
  const args = [OXLINT, '--config', CONFIG, '--format', 'json', '.'];
  const output = await new Promise<string>((settle) => {
    // The linter ends with an error code if it finds something; output that is no JSON fails below.
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 1 << 26 }, (_error, stdout) => settle(stdout));
  });
  const { diagnostics } = JSON.parse(output) as { readonly diagnostics: readonly Diagnostic[] };
  const circular = diagnostics.filter(({ code }) => code === 'import(no-cycle)');
  return [...new Set(circular.map(({ filename }) => filename))].sort();
}
