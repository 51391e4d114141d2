/** Keeps the list of docs/security.md true: it names the ways that the story tries, each once, in the same groups. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../lib/manager.ts';
import type { Aim } from './ways-attacker.ts';
import { WAYS } from './ways.ts';

const text = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
const section = /\n## Ways that were tried\n(?<text>[^]*?)\n## /.exec(text)?.groups?.['text'] ?? '';

/** The rows of a table, by their first cell. */
const rows = new Map(
  [...section.matchAll(/^\| (?<aim>gain|destroy|block|read) \| (?<way>[^|]+) \|/gm)].map(({ groups }) => [
    groups?.['way']?.trim(),
    groups?.['aim'],
  ]),
);

test('docs/security.md lists the ways that are tried, no more and no less', () => {
  expect(rows).toEqual(new Map<string | undefined, Aim>(WAYS.map(({ name, aim }) => [name, aim])));
});

/** The number, the class and the test of each row. */
const classes = [...text.matchAll(/^\| (?<number>\d+) \| [^|]+ \| (?<proof>[^|]+) \|$/gm)].map(({ groups }) => ({
  number: Number(groups?.['number']),
  proof: groups?.['proof'] ?? '',
}));

test('docs/security.md names a test of each of the 44 classes of attacks', () => {
  expect(classes.map(({ number }) => number)).toEqual(Array.from({ length: 44 }, (_, index) => index + 1));
  const named = classes.map(({ number, proof }) => ({
    number,
    paths: [...proof.matchAll(/`(?<path>[\w./-]+(?:\.test\.ts|\/[\w-]+))`/g)].map(
      ({ groups }) => groups?.['path'] ?? '',
    ),
  }));
  expect(named.filter(({ paths }) => paths.length === 0)).toEqual([]);
  expect(named.flatMap(({ paths }) => paths).filter((path) => !hasTests(join(ROOT, path)))).toEqual([]);
});

/** Whether a file, or a file of a story, has a test. */
function hasTests(path: string): boolean {
  if (!existsSync(path)) return false;
  if (!path.endsWith('.ts')) return readdirSync(path).some((name) => name.endsWith('.test.ts'));
  return /^\s*(test|it)(\.each)?\(/m.test(readFileSync(path, 'utf8'));
}

test('each way has its own name, and the reason why it fails', () => {
  expect(new Set(WAYS.map(({ name }) => name)).size).toBe(WAYS.length);
  expect(WAYS.filter(({ because }) => because === '')).toEqual([]);
  expect(WAYS.length).toBeGreaterThanOrEqual(25);
});
