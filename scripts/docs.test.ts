/** Keeps the documentation true: its examples are valid, its links lead to existing files, its commands exist. */
import { describe, expect, test } from 'vitest';
import { isReason } from '../api/conditions.ts';
import { checkRules } from '../api/crd/testing/rules.ts';
import { parseObject, type CustomKind } from '../api/kind.ts';
import { KINDS } from '../api/kinds.ts';
import { GROUP } from '../api/names.ts';
import { groupOf, type KubeObject } from '../api/object.ts';
import { parseYaml } from '../bundles/yaml.ts';
import { parseOptions } from '../cmd/manager/options.ts';
import {
  anchorsOf,
  codeSpans,
  firstColumn,
  hereDocuments,
  linksOf,
  parseMarkdown,
  type Link,
  type Markdown,
} from './markdown.ts';
import { readText, repositoryFiles } from './source-files.ts';

const files = repositoryFiles();
const documents = files
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, ...parseMarkdown(readText(path) ?? '') }));
const samples = files.filter((path) => /^deploy\/samples\/.*\.yaml$/.test(path));
const scripts = (JSON.parse(readText('package.json') ?? '') as { readonly scripts: Record<string, string> }).scripts;
const targets = new Set([...(readText('Makefile') ?? '').matchAll(/^([a-z][a-z-]*):/gm)].map(([, name]) => name));

/** What people type: shell blocks whole, and every piece of code in prose. */
const commands = documents.map(({ path, fences, prose }) => ({
  path,
  text: [...fences.filter(({ language }) => language === 'sh').map(({ text }) => text), ...codeSpans(prose)].join('\n'),
}));

describe('examples', () => {
  const examples = [
    ...documents.flatMap(({ path, ...document }) => examplesOf(document).map((text) => ({ path, text }))),
    ...samples.map((path) => ({ path, text: readText(path) ?? '' })),
  ].map(({ path, text }, index) => ({ path, text, number: index + 1 }));

  test.each(examples)('$path ($number) is made of valid objects', ({ text }) => {
    expect(parseYaml(text).flatMap(({ value }) => faultsOf(value))).toEqual([]);
  });

  test('are found: of each kind that people write, in the README, the guides and the samples', () => {
    const told = examples.flatMap(({ text }) => parseYaml(text).map(({ value }) => (value as KubeObject).kind));
    expect(told).toEqual(expect.arrayContaining(['Catalog', 'Subscription', 'ClusterRole', 'Beacon']));
    expect(new Set(examples.map(({ path }) => path)).size).toBeGreaterThan(6);
  });

  test('of the README are the files of deploy/samples, to the letter', () => {
    const shown = documents.find(({ path }) => path === 'README.md')?.fences ?? [];
    expect(shown.filter(({ language }) => language === 'yaml').map(({ text }) => text)).toEqual(samples.map(readText));
    expect(samples.length).toBeGreaterThan(1);
  });

  test('say in which language they are, so that none is passed over', () => {
    const languages = documents.flatMap(({ path, fences }) =>
      fences.map(({ line, language }) => ({ at: `${path}:${line}`, language })),
    );
    expect(languages.filter(({ language }) => !['sh', 'yaml', 'text', 'mermaid'].includes(language))).toEqual([]);
  });

  test.each([
    { because: 'a field that no kind has', spec: { package: 'x', chanel: 'y' }, fault: 'spec.chanel is no field' },
    { because: 'a value out of its bounds', spec: { package: 'x', historyLimit: 0 }, fault: 'historyLimit' },
    { because: 'a rule of the API server', spec: { package: 'x', catalog: 'a', catalogSelector: {} }, fault: 'both' },
    { because: 'a field that is missing', spec: {}, fault: 'package' },
  ])('are refused for $because', ({ spec, fault }) => {
    const object = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', metadata: { name: 'x' }, spec };
    expect(faultsOf(object).join()).toContain(fault);
  });

  test.each([
    {
      because: 'of an unknown kind',
      object: { apiVersion: 'slipway.dev/v1alpha1', kind: 'Sub', metadata: { name: 'x' } },
    },
    {
      because: 'of a version that is not',
      object: { apiVersion: 'slipway.dev/v9', kind: 'Catalog', metadata: { name: 'x' } },
    },
    { because: 'without a name', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} } },
    { because: 'that is no object', object: 'text' },
  ])('are refused for an object $because', ({ object }) => {
    expect(faultsOf(object)).toHaveLength(1);
  });
});

describe('links', () => {
  const links = documents.flatMap(({ path, prose }) => linksOf(path, prose).map((link) => ({ from: path, ...link })));

  test('lead to files that exist', () => {
    expect(links.length).toBeGreaterThan(30);
    expect(links.filter(({ path }) => !isThere(path)).map(({ from, text }) => `${from}: ${text}`)).toEqual([]);
  });

  test('with an anchor lead to a heading', () => {
    const anchored = links.filter(({ anchor }) => anchor !== undefined);
    expect(anchored.length).toBeGreaterThan(2);
    expect(anchored.filter((link) => !hasHeading(link)).map(({ from, text }) => `${from}: ${text}`)).toEqual([]);
  });

  test('reach every document from the README', () => {
    const reached = new Set(['README.md']);
    for (const from of reached) {
      for (const link of links) if (link.from === from && link.path.endsWith('.md')) reached.add(link.path);
    }
    expect(documents.map(({ path }) => path).filter((path) => !reached.has(path) && !isLooseEnd(path))).toEqual([]);
  });
});

describe('commands', () => {
  test('of make are targets of the Makefile', () => {
    const named = namesIn(/\bmake ([a-z][a-z-]*)/g);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ name }) => !targets.has(name))).toEqual([]);
  });

  test('of npm are scripts of package.json', () => {
    const named = namesIn(/\bnpm run (?:-s |--silent )?([a-z][\w:-]*)/g);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter(({ name }) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  test('name files that are there', () => {
    const named = namesIn(
      /(?<![\w./-])((?:api|apply|bundles|catalog|cmd|controllers|deploy|docs|e2e|kube|oci|plan|resolver|scripts)\/[\w./-]*)/g,
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ name }) => !isThere(name.replace(/\/$/, '')))).toEqual([]);
  });

  test('start the manager with options that it has', () => {
    const starts = namesIn(/\bmanager -- ([^\n&]+)/g);
    expect(starts.length).toBeGreaterThan(0);
    for (const { name } of starts) expect(() => parseOptions(name.trim().split(' '), {})).not.toThrow();
  });
});

test('reasons that are explained exist', () => {
  const written = documents.filter(({ path }) => path !== 'docs/api.md');
  const told = written.flatMap(({ prose }) => firstColumn(prose, 'reason'));
  expect(told.length).toBeGreaterThan(15);
  expect(told.filter((word) => !isReason(word))).toEqual([]);
});

describe('a document', () => {
  const text = [
    '# One `two` 3.',
    'See [a](../x.md#b), [c](#one-two-3), [d](https://example.com/e) and `[f](g)`.',
    '```yaml',
    'a: [b](c)',
    '```',
    '| reason | for |',
    '| --- | --- |',
    '| `A`, `B` | `C` |',
  ].join('\n');

  test('is split into prose and fences', () => {
    const { fences, prose } = parseMarkdown(text);
    expect(fences).toEqual([{ line: 3, language: 'yaml', text: 'a: [b](c)\n' }]);
    expect(prose.split('\n')).toHaveLength(8);
    expect(linksOf('docs/y/z.md', prose)).toEqual([
      { text: '../x.md#b', path: 'docs/x.md', anchor: 'b' },
      { text: '#one-two-3', path: 'docs/y/z.md', anchor: 'one-two-3' },
    ]);
    expect(anchorsOf(prose)).toEqual(['one-two-3']);
    expect(firstColumn(prose, 'reason')).toEqual(['A', 'B']);
    expect(() => parseMarkdown('```sh\nmake x')).toThrow('line 1 is not closed');
  });

  test('is searched for manifests inside of shell scripts', () => {
    expect(hereDocuments('a <<END | b\nx: 1\nEND\nc <<EOF\ny: 2\nEOF\n')).toEqual(['x: 1\n', 'y: 2\n']);
  });
});

/** YAML blocks, and the objects that shell scripts hold; a catalog's documents are no objects. */
function examplesOf({ fences }: Markdown): readonly string[] {
  return fences.flatMap(({ language, text }) => {
    if (language === 'yaml') return [text];
    return language === 'sh' ? hereDocuments(text).filter((one) => one.includes('apiVersion:')) : [];
  });
}

/** The faults of an object that the documentation asks people to apply. */
function faultsOf(value: unknown): readonly string[] {
  const { apiVersion, kind, metadata } = (value ?? {}) as Partial<KubeObject>;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof metadata?.name !== 'string')
    return ['it lacks apiVersion, kind or metadata.name'];
  if (groupOf(apiVersion) !== GROUP) return [];
  const known = KINDS.find((one) => one.kind === kind) as CustomKind | undefined;
  return known === undefined ? [`there is no kind ${kind}`] : faultsOfKind(known, value as KubeObject);
}

function faultsOfKind(kind: CustomKind, object: KubeObject): readonly string[] {
  try {
    const broken = checkRules(kind, object).map(({ path, message }) => `${path} ${message}`);
    return [...unknownFields(object, parseObject(kind, object), ''), ...broken];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Parsing drops fields that the schema does not have; a dropped field is a misspelt one. */
function unknownFields(written: unknown, parsed: unknown, path: string): readonly string[] {
  if (typeof written !== 'object' || written === null) return [];
  return Object.entries(written).flatMap(([name, value]) => {
    const here = path === '' ? name : `${path}.${name}`;
    const kept = (parsed as Record<string, unknown>)[name];
    return kept === undefined ? [`${here} is no field`] : unknownFields(value, kept, here);
  });
}

function isThere(path: string): boolean {
  return files.some((file) => file === path || file.startsWith(`${path}/`));
}

function hasHeading({ path, anchor }: Link): boolean {
  const prose = documents.find((document) => document.path === path)?.prose ?? '';
  return anchorsOf(prose).includes(anchor ?? '');
}

/** Documents that need no link, since they are read in their folder. */
function isLooseEnd(path: string): boolean {
  return !path.startsWith('docs/') && path.includes('/');
}

/** Every name that commands of the documentation match, with where. */
function namesIn(pattern: RegExp): readonly { readonly path: string; readonly name: string }[] {
  return commands.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(([, name]) => ({ path, name: name ?? '' })),
  );
}
