/** Keeps the list of docs/security.md true: it names the ways that the story tries, each once, in the same groups. */
import { readFileSync } from 'node:fs';
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

test('each way has its own name, and the reason why it fails', () => {
  expect(new Set(WAYS.map(({ name }) => name)).size).toBe(WAYS.length);
  expect(WAYS.filter(({ because }) => because === '')).toEqual([]);
  expect(WAYS.length).toBeGreaterThanOrEqual(25);
});
