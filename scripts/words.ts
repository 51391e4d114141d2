/**
 * Finds constructions that stop a reader, in documentation, messages, comments and test titles. `npm run -s words` prints
 * how many there are in each area; with the name of an area it prints each of them. words.test.ts keeps all areas clean.
 * CONTRIBUTING.md has the style guide.
 */
import { parseMarkdown } from './markdown.ts';
import { manifestTexts } from './manifest-texts.ts';
import { isSource, readText, repositoryFiles } from './source-files.ts';

/** What is searched for, and the better wording. */
export interface Ban {
  readonly name: string;
  readonly pattern: RegExp;
  readonly better: string;
}

/** Words that leave out the actor, or are no term of the field. */
export const WORDS: readonly Ban[] = [
  { name: 'tell', pattern: /\b(?:tell|tells|told|telling)\b/gi, better: 'report, say, show, print' },
  { name: 'whoever', pattern: /\b(?:whoever|whomever)\b/gi, better: 'name the actor' },
  { name: 'nobody', pattern: /\b(?:nobody|somebody|anybody|everybody)\b/gi, better: 'name the actor: user, program' },
  { name: 'look at', pattern: /\blook(?:s|ed|ing)? at\b/gi, better: 'check, read, inspect' },
  { name: 'let go', pattern: /\b(?:let|lets|letting) (?:\w+ )?go\b/gi, better: 'release' },
  { name: 'give way', pattern: /\b(?:gives?|gave|giving) way\b/gi, better: 'is replaced, backs off' },
  { name: 'be had', pattern: /\bbe had\b/gi, better: 'offer, satisfy' },
  { name: 'anew', pattern: /\b(?:anew|thrice)\b/gi, better: 'again' },
  { name: 'lives to see', pattern: /\blives? to see\b/gi, better: 'never elapses' },
];

/** Constructions that need a second reading. */
export const CONSTRUCTIONS: readonly Ban[] = [
  {
    name: 'headless what',
    pattern:
      /(?:(?:^|[.:;|] )What\b(?!.*\?)|\b(?:of|by|for|with|than|as|from|in|to|on|about|and|is|are|that|lists?|names?|says?|shows?|but) what\b)(?! (?:kind|version|to do)\b)/g,
    better: 'the noun that is meant',
  },
  {
    name: 'headless who',
    pattern: /(?:(?:^|[.:;|] )Who\b(?!.*\?)|\b(?:by|for|with|than|from|to|only|but) who\b)/g,
    better: 'a person who, the user that',
  },
  {
    name: 'where for if',
    pattern:
      /(?:(?:^|[.;:] )Where (?:a|an|the|it|there|no|nothing|one|several|this)\b|, where (?:it|there|that|one) (?:is|are|has|can|does)\b)/g,
    better: 'if, when',
  },
];

const AREAS = ['docs', 'api', 'help', 'messages', 'comments', 'titles', 'manifests'] as const;
export type Area = (typeof AREAS)[number];

export interface Passage {
  readonly area: Area;
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface Found extends Passage {
  readonly ban: Ban;
}

/** Every passage of these files that people read. */
export function passagesOf(paths: readonly string[]): readonly Passage[] {
  return paths.flatMap((path) => (readerOf(path) === undefined ? [] : passagesIn(path, readText(path) ?? '')));
}

/** The passages of one file. */
export function passagesIn(path: string, text: string): readonly Passage[] {
  return readerOf(path)?.(path, text) ?? [];
}

/** The bans that passages break. */
export function findBanned(passages: readonly Passage[], bans: readonly Ban[]): readonly Found[] {
  return passages.flatMap((passage) =>
    bans.flatMap((ban) => [...passage.text.matchAll(ban.pattern)].map(() => ({ ...passage, ban }))),
  );
}

type Read = (path: string, text: string) => readonly Passage[];

const GENERATED: Readonly<Record<string, Area>> = {
  'docs/api.md': 'api',
  'docs/cli.md': 'help',
  'docs/metrics.md': 'help',
  'docs/settings.md': 'help',
};
const PRODUCT = /^(?:api|apply|bundles|catalog|cmd|console|controllers|kube|oci|plan|resolver)\//;
const FOR_TESTS = /\.test\.tsx?$|\/testing\//;

/** Those that are written by hand. */
const MANIFESTS = /^deploy\/(?!crds\/|chart\/crds\/|chart\/templates\/|install\.yaml).*\.(?:ya?ml|json)$/;

function readerOf(path: string): Read | undefined {
  if (path.endsWith('.md')) return readMarkdown;
  if (MANIFESTS.test(path)) return readManifest;
  return isSource(path) && !/^scripts\/words\.(?:test\.)?ts$/.test(path) ? readSource : undefined;
}

/** Paragraphs of prose without code, and without titles of tests behind the names of their files. */
function readMarkdown(path: string, text: string): readonly Passage[] {
  const area = GENERATED[path] ?? 'docs';
  const lines = parseMarkdown(text)
    .prose.replaceAll(/<!--[^]*?-->/g, blank)
    .split('\n');
  const passages: { area: Area; path: string; line: number; text: string }[] = [];
  let open: (typeof passages)[number] | undefined;
  for (const [index, line] of lines.entries()) {
    if (open !== undefined && /^\s*[^\s|#*-]/.test(line)) open.text += ` ${line.trim()}`;
    else if (line.trim() === '') open = undefined;
    else passages.push((open = { area, path, line: index + 1, text: line.trim() }));
  }
  return passages.map((one) => ({ ...one, text: one.text.replaceAll(/`[^`]*`(?: "[^"]*")?/g, '``') }));
}

/** The same number of lines, without words. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, '');
}

function readManifest(path: string, text: string): readonly Passage[] {
  return manifestTexts(text).map((one) => ({ area: 'manifests', path, ...one }));
}

function readSource(path: string, text: string): readonly Passage[] {
  const isProduct = PRODUCT.test(path) && !FOR_TESTS.test(path);
  const tokens = path.endsWith('.tsx') ? [...tokensOf(text), ...textsOfElements(text)] : tokensOf(text);
  return tokens.flatMap(({ kind, line, text: words }) => {
    const area = kind === 'comment' ? 'comments' : isProduct ? 'messages' : 'titles';
    return words.includes(' ') ? { area, path, line, text: words } : [];
  });
}

interface Token {
  readonly kind: 'comment' | 'text';
  readonly line: number;
  readonly text: string;
}

const TOKENS = /\/\*[^]*?\*\/|(?<![:\\])\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** Comments and texts of a source file, without the names of variables in them. Regular expressions with quotes can mislead it, by a few words at most. */
function tokensOf(source: string): readonly Token[] {
  return [...source.matchAll(TOKENS)].map(({ 0: found, index }) => ({
    kind: found.startsWith('/') ? 'comment' : 'text',
    line: source.slice(0, index).split('\n').length,
    text: found.replaceAll(/\n\s*\*?/g, ' ').replaceAll(/\$\{[^}]*\}|\$[a-z][\w.]*/gi, '…'),
  }));
}

/** The words between the tags of elements. A comparison in code can look like a tag, which adds a few words at most. */
function textsOfElements(source: string): readonly Token[] {
  return [...source.matchAll(/[>}]([^<>{};=]*[a-z][^<>{};=]*)(?=[<{])/gi)].map(({ 1: text = '', index }) => ({
    kind: 'text',
    line: source.slice(0, index).split('\n').length,
    text: text.replaceAll(/\s+/g, ' ').trim(),
  }));
}

function main(area: string | undefined): void {
  const passages = passagesOf(repositoryFiles());
  const found = findBanned(passages, [...WORDS, ...CONSTRUCTIONS]);
  if (area === undefined) return printCounts(passages, found);
  for (const { path, line, ban, text } of found.filter((one) => one.area === area || one.path === area))
    process.stdout.write(`${path}:${line}: ${ban.name}: ${text.trim().slice(0, 160)}\n`);
}

function printCounts(passages: readonly Passage[], found: readonly Found[]): void {
  for (const area of AREAS) {
    const inArea = found.filter((one) => one.area === area);
    const byName = Map.groupBy(inArea, ({ ban }) => ban.name);
    const parts = [...byName].map(([name, some]) => `${name} ${some.length}`).join(', ');
    const lines = passages.filter((one) => one.area === area && one.text.trim() !== '').length;
    process.stdout.write(`${area}: ${inArea.length} in ${lines} passages${parts === '' ? '' : ` (${parts})`}\n`);
  }
}

if (import.meta.main) main(process.argv[2]);
