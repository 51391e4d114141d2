/**
 * The grammar of ranges in catalogs, exactly as the Go library blang/semver v4 reads it, quirks included: authors
 * publish ranges against that library, so its results define their meaning. A range that the library accepts but then
 * crashes on is refused here.
 */
import { compareVersions, parseVersion, type Parsed, type SemanticVersion } from '../version.ts';
import type { VersionRange } from './range.ts';

/** Longest range that is parsed; the longest published one is below 200 characters. */
export const MAX_BLANG_LENGTH = 1024;

/** A range and its parts: of one alternative at least, all comparators must hold. */
export interface BlangRange extends VersionRange {
  readonly alternatives: readonly (readonly Comparator[])[];
}

/** `>=1.2.0`. */
export interface Comparator {
  readonly operator: BlangOperator;
  readonly version: SemanticVersion;
}

type BlangOperator = '=' | '!=' | '>' | '>=' | '<' | '<=';

const OPERATORS: ReadonlyMap<string, BlangOperator> = new Map([
  ['', '='],
  ['=', '='],
  ['==', '='],
  ['!', '!='],
  ['!=', '!='],
  ['>', '>'],
  ['>=', '>='],
  ['<', '<'],
  ['<=', '<='],
]);

/** White space as Go's unicode.IsSpace defines it; String.trim removes other characters. */
const GO_SPACE: ReadonlySet<number> = new Set([
  0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006,
  0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
]);
const DIGIT = /\p{Nd}/u;
const SIGNED = /^[+-]?[0-9]+$/;

/**
 * Parses a range such as `>=1.0.0 <1.4.0 || 2.x`: spaces mean and, `||` means or, operators are
 * `= == != ! > >= < <=`, a trailing `x` is a wildcard. There is no `^`, no `~` and no comma, and pre-releases are
 * versions like any other.
 * @see https://pkg.go.dev/github.com/blang/semver/v4#ParseRange
 */
export function parseBlangRange(text: string): Parsed<BlangRange> {
  if (text.length > MAX_BLANG_LENGTH) return bad(`it is longer than ${MAX_BLANG_LENGTH} characters`);
  const groups = splitAlternatives(splitWords(text));
  if (typeof groups === 'string') return bad(groups);
  const alternatives: Comparator[][] = [];
  for (const words of groups) {
    if (words.length === 0) return bad('it has nothing between two "||"');
    const comparators: Comparator[] = [];
    for (const word of words.flatMap(expandWildcard)) {
      const comparator = parseComparator(word);
      if (typeof comparator === 'string') return bad(comparator);
      comparators.push(comparator);
    }
    alternatives.push(comparators);
  }
  const includes = (version: SemanticVersion): boolean =>
    alternatives.some((comparators) => comparators.every((comparator) => admits(comparator, version)));
  return { ok: true, value: { text, includes, alternatives } };
}

function admits({ operator, version }: Comparator, candidate: SemanticVersion): boolean {
  const order = compareVersions(candidate, version);
  switch (operator) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case '<':
      return order < 0;
    default:
      return order <= 0;
  }
}

/** Words end at a space that does not follow an operator. A word of one byte is dropped, as the library does. */
function splitWords(text: string): string[] {
  const words: string[] = [];
  let start = 0;
  let previous = '';
  for (let at = 0; at <= text.length; at++) {
    const character = text.charAt(at);
    if (character !== '' && (character !== ' ' || isComparison(previous))) {
      if (character !== ' ') previous = character;
      continue;
    }
    const word = text.slice(start, at);
    if (!isOneByte(word)) words.push(word.replaceAll(' ', ''));
    start = at + 1;
  }
  return words;
}

function isComparison(character: string): boolean {
  return character === '>' || character === '<' || character === '=';
}

function isOneByte(word: string): boolean {
  return word.length === 0 || (word.length === 1 && word.charCodeAt(0) < 0x80);
}

function splitAlternatives(words: readonly string[]): string[][] | string {
  if (words[0] === '||') return 'it begins with "||"';
  if (words.length === 0) return 'it is empty';
  if (words.at(-1) === '||') return 'it ends with "||"';
  const groups: string[][] = [[]];
  for (const word of words) {
    if (word === '||') groups.push([]);
    else groups.at(-1)?.push(word);
  }
  return groups;
}

function parseComparator(word: string): Comparator | string {
  const parts = splitComparator(word);
  if (parts === undefined) return `"${word}" has no version`;
  const operator = OPERATORS.get(parts.operator);
  if (operator === undefined) return `"${parts.operator}" in "${word}" is no operator`;
  const version = parseVersion(parts.version);
  return version.ok ? { operator, version: version.value } : `"${parts.version}" is no version: ${version.problem}`;
}

function splitComparator(word: string): { readonly operator: string; readonly version: string } | undefined {
  const at = word.search(DIGIT);
  if (at < 0) return undefined;
  return { operator: trimSpace(word.slice(0, at)), version: word.slice(at) };
}

/** A regular expression would take time squared for the end of a long text. */
function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && GO_SPACE.has(text.charCodeAt(start))) start++;
  while (end > start && GO_SPACE.has(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/**
 * `1.2.x` becomes `>=1.2.0 <1.3.0`, `!=1.2.x` both `<1.2.0` and `>=1.3.0` (which nothing satisfies), and so on.
 * Kept quirks: any `x` in the word counts, in a pre-release too; an operator that is none is then dropped
 * (`^1.2.x` is `1.2.0`); `1.x.x` counts as a wildcard of the patch; `>` and `<=` need the wildcard at the end.
 */
function expandWildcard(word: string): string[] {
  if (!word.includes('x')) return [word];
  const parts = splitComparator(word);
  if (parts === undefined) return [word];
  const base = fillWildcard(parts.version);
  const next = nextAfterWildcard(parts.version, base);
  switch (parts.operator) {
    case '>':
      return [`>=${next}`];
    case '<=':
      return [`<${next}`];
    case '>=':
    case '<':
      return [`${parts.operator}${base}`];
    case '':
    case '=':
    case '==':
      return [`>=${base}`, `<${next}`];
    case '!':
    case '!=':
      return [`<${base}`, `>=${next}`];
    default:
      return [base];
  }
}

function fillWildcard(version: string): string {
  const filled = version.replace('.x.x', '.x').replace('.x', '.0');
  return filled.split('.').length === 2 ? `${filled}.0` : filled;
}

/** The first version after all those that a wildcard matches; empty if there is none. */
function nextAfterWildcard(version: string, base: string): string {
  const parts = version.split('.');
  const place = parts.length - 2;
  if (parts.at(-1) !== 'x' || place > 1) return '';
  const incremented = base.split('.');
  const value = incremented[place] ?? '';
  if (!SIGNED.test(value)) return '';
  const number = BigInt(value.replace('+', ''));
  if (BigInt.asIntN(64, number) !== number) return '';
  incremented[place] = BigInt.asIntN(64, number + 1n).toString();
  return incremented.join('.');
}

function bad(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}
