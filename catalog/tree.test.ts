import { describe, expect, it } from 'vitest';
import { catalogFilesOf, comparePaths } from './tree.ts';

function kept(files: Readonly<Record<string, string>>): string[] {
  const map = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
  return [...catalogFilesOf(map)].map(({ path }) => path);
}

describe('the files of a catalog', () => {
  it.each([
    {
      because: 'every file counts, hidden ones too',
      files: { 'b.txt': '', '.a': '', 'c/d.yaml': '' },
      paths: ['.a', 'b.txt', 'c/d.yaml'],
    },
    {
      because: 'patterns leave files out',
      files: { '.indexignore': '*.md\n# comment\n', 'README.md': '', 'x/NOTES.md': '', 'a.yaml': '' },
      paths: ['a.yaml'],
    },
    {
      because: 'a folder is left out with all below',
      files: { '.indexignore': 'docs/\n', 'docs/a.json': '', 'x/docs/b.json': '', 'docs.json': '' },
      paths: ['docs.json'],
    },
    {
      because: 'a leading slash means this folder only',
      files: { '.indexignore': '/a.json\n', 'a.json': '', 'x/a.json': '' },
      paths: ['x/a.json'],
    },
    {
      because: 'patterns hold for their folder and below',
      files: { 'x/.indexignore': 'a.json\n', 'a.json': '', 'x/a.json': '', 'x/y/a.json': '' },
      paths: ['a.json'],
    },
    {
      because: 'a deeper file may include one again',
      files: { '.indexignore': '*.md\n', 'x/.indexignore': '!keep.md\n', 'x/keep.md': '', 'x/b.md': '' },
      paths: ['x/keep.md'],
    },
    {
      because: 'an exclamation mark includes files again',
      files: { '.indexignore': '*\n!a.json\n', 'a.json': '', 'b.json': '' },
      paths: ['a.json'],
    },
    { because: 'the ignore file itself is never a part', files: { 'x/.indexignore': '' }, paths: [] },
    { because: 'case matters', files: { '.indexignore': 'a.md\n', 'A.md': '', 'a.md': '' }, paths: ['A.md'] },
  ])('$because', ({ files, paths }) => {
    expect(kept(files as unknown as Readonly<Record<string, string>>)).toEqual(paths);
  });

  it('files come folder by folder, each sorted by name', () => {
    expect(['b/a', 'a.json', 'a/z', 'a/b/c', 'a-b/x'].sort(comparePaths)).toEqual([
      'a/b/c',
      'a/z',
      'a-b/x',
      'a.json',
      'b/a',
    ]);
  });
});
