/** Keeps the journeys of CONTRIBUTING.md short, and the files that they name existing. */
import { describe, expect, test } from 'vitest';
import { linksOf, parseMarkdown } from './markdown.ts';
import { readText, repositoryFiles } from './source-files.ts';

const files = new Set(repositoryFiles());
const guide = parseMarkdown(readText('CONTRIBUTING.md') ?? '').prose;
const journeys = journeysIn(guide);

describe('the journeys of CONTRIBUTING.md', () => {
  test('are four', () => {
    expect(journeys.map(({ title }) => title)).toHaveLength(4);
  });

  test.each(journeys)('$title: has ten steps, and each names files that exist', ({ steps }) => {
    expect(steps).toHaveLength(10);
    for (const step of steps) {
      const named = linksOf('CONTRIBUTING.md', step).map(({ path }) => path);
      expect(named.length, step).toBeGreaterThan(0);
      expect(named.filter((path) => !files.has(path))).toEqual([]);
    }
  });

  test.each(journeys)('$title: each link shows the path that it leads to', ({ steps }) => {
    const links = steps.flatMap((step) => [...step.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)]);
    expect(links.filter(([, shown, path]) => shown !== path).map(([link]) => link)).toEqual([]);
  });

  test.each(journeys)('$title: each function in parentheses is declared in a file of its step', ({ steps }) => {
    for (const step of steps) {
      const texts = linksOf('CONTRIBUTING.md', step).map(({ path }) => readText(path) ?? '');
      const functions = [...step.matchAll(/\(`(\w+)`\)/g)].map(([, name]) => `function ${name ?? ''}(`);
      expect(functions.filter((declared) => !texts.some((text) => text.includes(declared)))).toEqual([]);
    }
  });
});

function journeysIn(prose: string): readonly { readonly title: string; readonly steps: readonly string[] }[] {
  const section = prose.split(/\n## /).find((one) => one.startsWith('Four journeys\n')) ?? '';
  return section
    .split('\n### ')
    .slice(1)
    .map((one) => ({
      title: one.split('\n')[0] ?? '',
      steps: one.split('\n').filter((line) => /^\d+\. /.test(line)),
    }));
}
