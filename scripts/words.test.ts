/** Keeps all text in plain English: messages, help, descriptions of fields, documentation, comments and test titles. */
import { describe, expect, test } from 'vitest';
import { repositoryFiles } from './source-files.ts';
import { CONSTRUCTIONS, findBanned, passagesIn, passagesOf, WORDS, type Area, type Found } from './words.ts';

const passages = passagesOf(repositoryFiles());

const AREAS: readonly Area[] = ['docs', 'api', 'help', 'messages', 'comments', 'titles', 'manifests'];

describe('plain English', () => {
  test.each([...WORDS, ...CONSTRUCTIONS])('"$name" is in no text: write $better', (ban) => {
    expect(findBanned(passages, [ban]).map(describeFound)).toEqual([]);
  });

  test('every page is searched', () => {
    const pages = passages.filter(({ path }) => path.endsWith('.md'));
    expect(new Set(pages.map(({ path }) => path)).size).toBeGreaterThan(50);
  });

  test.each(['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'docs/security.md', 'docs/decisions/README.md'])(
    'the page %s is searched',
    (page) => {
      expect(passages.filter(({ path }) => path === page).length).toBeGreaterThan(5);
    },
  );

  test.each(AREAS)('the area %s is searched', (area) => {
    expect(passages.filter((one) => one.area === area).length).toBeGreaterThan(50);
  });
});

describe('the search', () => {
  test.each([
    { because: 'a word of the list', text: 'Nobody is told.', names: ['tell', 'nobody'] },
    { because: 'a headless what begins a sentence', text: 'What took too long ends.', names: ['headless what'] },
    { because: 'a headless what is an object', text: 'Hash of what was applied.', names: ['headless what'] },
    { because: 'a headless what begins a cell', text: '| x | What is so. |', names: ['headless what'] },
    { because: 'a question may begin so', text: 'What happened until now?', names: [] },
    { because: 'a headless who begins a sentence', text: 'Who may create it installs it.', names: ['headless who'] },
    { because: 'a headless who is an object', text: 'It is for who may create it.', names: ['headless who'] },
    { because: 'a person is named', text: 'Only a person who may create it.', names: [] },
    { because: 'where stands for if', text: 'Where the Pod fails, it waits.', names: ['where for if'] },
    { because: 'a place is a place', text: 'The folder where bundles are.', names: [] },
    { because: 'code is no prose', text: 'Run `tell nobody`.', names: [] },
  ])('finds what it should in a page, and no more: $because', ({ text, names }) => {
    const found = findBanned(passagesIn('docs/x.md', `# Title\n\n${text}\n`), [...WORDS, ...CONSTRUCTIONS]);
    expect(found.map(({ ban }) => ban.name)).toEqual(names);
  });

  test('joins the lines of a paragraph, and names its first', () => {
    const [found] = findBanned(passagesIn('docs/x.md', '# Title\n\nIt cannot be\nhad.\n'), WORDS);
    expect(found).toMatchObject({ line: 3, ban: { name: 'be had' } });
  });

  test.each([
    { because: 'a comment', manifest: '# It is\n# told.\nkind: Role' },
    { because: 'a comment behind a value', manifest: 'kind: Role # is told' },
    { because: 'the text of an alert', manifest: '    summary: It is told.' },
    { because: 'one of several lines', manifest: '    description: >-\n      It is\n      told.\n    other: x' },
    { because: 'a title in JSON', manifest: '{\n  "title": "It is told"\n}' },
  ])('reads a manifest: $because', ({ manifest }) => {
    const found = findBanned(passagesIn('deploy/rbac/x.yaml', manifest), WORDS);
    expect(found).toMatchObject([{ area: 'manifests', ban: { name: 'tell' } }]);
  });

  test.each([
    { path: 'apply/x.ts', source: "const m = 'it is told';", area: 'messages' },
    { path: 'apply/x.test.ts', source: "test('it is told', f);", area: 'titles' },
    { path: 'console/x.tsx', source: 'const m = <p>\nIt is\ntold</p>;', area: 'messages' },
    { path: 'console/x.tsx', source: 'const m = <p>{one} is told {two}</p>;', area: 'messages' },
    { path: 'apply/x.ts', source: '// It is told.\nf();', area: 'comments' },
    { path: 'apply/x.ts', source: '/**\n * It is\n * told.\n */', area: 'comments' },
  ])('knows messages, titles and comments apart: $path $area', ({ path, source, area }) => {
    expect(findBanned(passagesIn(path, source), WORDS)).toMatchObject([{ area, ban: { name: 'tell' } }]);
  });

  test.each([
    { because: 'code inside of a template', path: 'apply/x.ts', source: 'const m = `it has ${told.length} parts`;' },
    { because: 'a column of a table', path: 'apply/x.test.ts', source: "test('it answers $told.state', f);" },
  ])('ignores names of variables: $because', ({ path, source }) => {
    expect(findBanned(passagesIn(path, source), WORDS)).toEqual([]);
  });
});

function describeFound({ path, line, ban, text }: Found): string {
  return `${path}:${line}: ${ban.name}: ${text.slice(0, 120)}`;
}
