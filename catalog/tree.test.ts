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
    {
      because: 'a file below a folder that is left out is included again',
      files: { '.indexignore': 'b/\n!b/keep.json\n', 'b/keep.json': '', 'b/x.json': '' },
      paths: ['b/keep.json'],
    },
    {
      because: 'files of all folders are included again',
      files: { '.indexignore': '*\n!*.json\n', 'a/b/c.json': '', 'a/b/c.md': '' },
      paths: ['a/b/c.json'],
    },
    {
      because: 'two stars are folders, before and behind',
      files: { '.indexignore': '**\n!**/*.json\n/a/**\n', 'a/x.json': '', 'b/c/x.json': '', 'b/c/y': '' },
      paths: ['b/c/x.json'],
    },
    {
      because: 'the first name behind two stars counts',
      files: { '.indexignore': '**/a/b\n', 'x/a/b': '', 'x/a/c/a/b': '' },
      paths: ['x/a/c/a/b'],
    },
    {
      because: 'a pattern with a slash is about all below its match',
      files: { '.indexignore': 'a/b\nc/d/\n', 'a/b/c': '', 'x/a/b': '', 'c/d': '', 'y/c/d/e': '' },
      paths: ['c/d', 'x/a/b', 'y/c/d/e'],
    },
    {
      because: 'white space around a pattern does not count',
      files: { '.indexignore': ' *.md\t\r\n', 'a.md': '' },
      paths: [],
    },
    {
      because: 'a byte order mark is a part of the first pattern',
      files: { '.indexignore': '\uFEFF*.md\n*.txt', 'a.md': '', 'a.txt': '' },
      paths: ['a.md'],
    },
    {
      because: 'a class has ranges, and is negated by ^ alone',
      files: { '.indexignore': '[a-c]1\n[^a-c]2\n[!a]3\n', a1: '', a2: '', a3: '', d1: '', d2: '', d3: '' },
      paths: ['a2', 'd1', 'd3'],
    },
    {
      because: 'a backslash takes the meaning of a character away',
      files: { '.indexignore': '\\*\n\\#a\n', '*': '', '#a': '', a: '' },
      paths: ['a'],
    },
    {
      because: 'a malformed pattern matches nothing',
      files: { '.indexignore': '[a\na\\\n[]a]\n[a-]\nb[\n', a: '', ']': '', b: '' },
      paths: [']', 'a', 'b'],
    },
    {
      because: 'a name takes a question mark as one character',
      files: { '.indexignore': '?\n', '😀': '', ab: '' },
      paths: ['ab'],
    },
    {
      because: 'of two ignore files, the one whose folder sorts behind the other file counts',
      files: {
        '.indexignore': '!a.md',
        '-x/.indexignore': 'a.md',
        '-x/a.md': '',
        'x/.indexignore': 'a.md',
        'x/a.md': '',
      },
      paths: ['-x/a.md'],
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
