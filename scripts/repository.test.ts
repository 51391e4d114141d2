/** Rules for every file of this repository, and lists that must be equal. */
import { describe, expect, test } from 'vitest';
import { CONDITIONS } from '../api/conditions.ts';
import { KINDS } from '../api/kinds.ts';
import { REASONS } from '../api/reasons.ts';
import { renderGenerated } from './generated.ts';
import { isSource, readText, repositoryFiles } from './source-files.ts';

/** Spelled so that this file does not contain the text that it searches for. */
const FORBIDDEN: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'a path of one machine', pattern: /(?<![\w.])\/(?:root|work|Users|home\/[a-z]\w*)\/[\w.]/ },
  {
    what: 'the host of a package registry',
    pattern: /registry\.npmjs\.[o]rg|registry\.yarnpkg\.[c]om|npmmirror\.[c]om/i,
  },
  {
    what: 'a mirror of modules',
    pattern: /proxy\.golang\.[o]rg|sum\.golang\.[o]rg|goproxy\.[a-z]{2}\b|deb\.debian\.[o]rg/i,
  },
  { what: 'an address of a package in the lockfile', pattern: /"resolved": "[h]ttp/ },
];

const files = repositoryFiles();

describe('no file names', () => {
  test.each(FORBIDDEN)('$what', ({ pattern }) => {
    const found = files.flatMap((path) => {
      const line = readText(path)
        ?.split('\n')
        .find((text) => pattern.test(text));
      return line === undefined ? [] : [`${path}: ${line.trim().slice(0, 120)}`];
    });
    expect(found).toEqual([]);
  });

  test.each([
    { words: ['', 'home', 'jane', 'project'], bad: true },
    { words: ['cd ', 'root', 'x'], bad: true },
    { words: ['docs', 'work', 'list'], bad: false },
    { words: ['mountPath: ', 'home', ''], bad: false },
  ])('a path of one machine, and nothing else: $words is one: $bad', ({ words, bad }) => {
    expect(FORBIDDEN[0]?.pattern.test(words.join('/'))).toBe(bad);
  });
});

describe('what is generated', () => {
  test.each([...renderGenerated()].map(([path, text]) => ({ path, text })))(
    '$path is fresh: else run make generate',
    ({ path, text }) => {
      expect(readText(path)).toBe(text);
    },
  );

  test('is all that there is in deploy/crds', () => {
    const expected = [...renderGenerated().keys()].filter((path) => path.startsWith('deploy/crds/'));
    expect(files.filter((path) => path.startsWith('deploy/crds/'))).toEqual(expected.sort());
  });

  test('says in its first line that it is', () => {
    for (const [path, text] of renderGenerated()) expect(text.split('\n', 1)[0], path).toMatch(/generated/i);
  });
});

test('a program uses each reason of the list', () => {
  const programs = files.filter((path) => isSource(path) && !/^api\/reasons\.ts$|^(?:e2e|scripts)\/|\/test(?:ing|data)\/|\.test\./.test(path)); // prettier-ignore
  const text = programs.map((path) => readText(path) ?? '').join('\n');
  expect(Object.keys(REASONS).filter((reason) => !text.includes(`'${reason}'`))).toEqual([]);
});

describe('docs/api.md lists', () => {
  test('exactly the reasons that there are', () => {
    expect(tableUnder('## Reasons')).toEqual(Object.keys(REASONS));
  });

  test('exactly the conditions that there are', () => {
    expect(tableUnder('## Conditions')).toEqual(Object.keys(CONDITIONS));
  });

  test('every kind', () => {
    for (const { kind } of KINDS) expect(readText('docs/api.md')).toContain(`\n## ${kind}\n`);
  });
});

test('the glossary explains each word once, in the order of the alphabet', () => {
  const words = [...(readText('docs/glossary.md') ?? '').matchAll(/^\*\*([^*]+)\*\*/gm)].map(([, word]) => word ?? '');
  expect(words.length).toBeGreaterThan(30);
  expect(words).toEqual([...new Set(words)].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
  expect(KINDS.map(({ kind }) => kind).filter((kind) => !words.includes(kind))).toEqual([]);
});

function tableUnder(heading: string): readonly string[] {
  const section = (readText('docs/api.md') ?? '').split(`\n${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name ?? '');
}
