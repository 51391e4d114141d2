/**
 * One pattern of `.indexignore`, matched as `opm` does: its library follows gitignore's syntax with names matched like
 * Go's `filepath.Match`, but a folder that is left out hides no later `!` for a file below it.
 */
import { compileName, type NameMatcher } from './ignore-name.ts';

export interface IgnorePattern {
  /** Names of the folders above the ignore file. */
  readonly domain: readonly string[];
  /** The file is part of the catalog again. */
  readonly includes: boolean;
  /** Only folders, with all below them. */
  readonly foldersOnly: boolean;
  readonly steps: readonly PatternStep[];
}

/** One part between slashes. */
type PatternStep =
  | { readonly kind: 'empty' }
  | { readonly kind: 'folders' }
  | { readonly kind: 'never' }
  | { readonly kind: 'name'; readonly matches: NameMatcher };

/** The patterns of an ignore file in this folder; comments and empty lines are none. */
export function parsePatterns(content: string, domain: readonly string[]): readonly IgnorePattern[] {
  return patternLines(content).map((line) => parsePattern(line, domain));
}

/** The lines with a pattern, as opm trims them: a byte order mark is a part of the pattern. */
export function patternLines(content: string): readonly string[] {
  return content
    .split('\n')
    .map(trimLine)
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function trimLine(line: string): string {
  let start = 0;
  let end = line.length;
  while (start < end && isSpace(line[start]!)) start += 1;
  while (start < end && isSpace(line[end - 1]!)) end -= 1;
  return line.slice(start, end);
}

/** As Unicode has it, and so Go; JavaScript counts the byte order mark and not the next line. */
function isSpace(character: string): boolean {
  return character === '\u0085' || (character !== '\uFEFF' && character.trim() === '');
}

function parsePattern(line: string, domain: readonly string[]): IgnorePattern {
  const includes = line.startsWith('!');
  const inner = includes ? line.slice(1) : line;
  const foldersOnly = inner.endsWith('/');
  const parts = (foldersOnly ? inner.slice(0, -1) : inner).split('/');
  // Without a slash inside, `**` is the name with two stars.
  const steps = parts.length === 1 ? [nameStep(parts[0]!)] : parts.map(parseStep);
  return { domain, includes, foldersOnly, steps };
}

function parseStep(part: string): PatternStep {
  if (part === '') return { kind: 'empty' };
  if (part === '**') return { kind: 'folders' };
  return part.includes('**') ? { kind: 'never' } : nameStep(part);
}

function nameStep(part: string): PatternStep {
  return { kind: 'name', matches: compileName(part) };
}

/** Whether the pattern is about the file at this path. */
export function isAbout(pattern: IgnorePattern, path: readonly string[]): boolean {
  const { domain, steps } = pattern;
  if (path.length <= domain.length || !domain.every((name, index) => path[index] === name)) return false;
  const below = path.slice(domain.length);
  return steps.length === 1 ? matchesAnyName(pattern, below) : matchesFromTop(pattern, below);
}

/** A pattern without slashes is about each folder and the file of the path. */
function matchesAnyName({ steps, foldersOnly }: IgnorePattern, path: readonly string[]): boolean {
  const [step] = steps;
  if (step?.kind !== 'name') return false;
  const found = path.findIndex((name) => step.matches(name));
  return found >= 0 && !(foldersOnly && found === path.length - 1);
}

/** Steps of a pattern consume the path from its top; names that remain are below the match, and belong to it. */
function matchesFromTop({ steps, foldersOnly }: IgnorePattern, path: readonly string[]): boolean {
  let position = 0;
  let isMatch = false;
  let skipsFolders = false;
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'folders' && index === steps.length - 1) break;
    if (step.kind === 'empty' || step.kind === 'folders') skipsFolders = step.kind === 'folders';
    else {
      if (step.kind === 'never' || position >= path.length) return false;
      const next = consume(path, position, { matches: step.matches, skipsFolders });
      if (next === undefined && !skipsFolders) return false;
      isMatch = next !== undefined;
      position = next ?? path.length;
      skipsFolders = false;
    }
  }
  return isMatch && !(foldersOnly && position >= path.length);
}

interface NameSearch {
  readonly matches: NameMatcher;
  /** Whether names before the match may be passed over, which `**` allows; the first match counts. */
  readonly skipsFolders: boolean;
}

/** The position behind the matching name, if there is one. */
function consume(path: readonly string[], from: number, { matches, skipsFolders }: NameSearch): number | undefined {
  if (!skipsFolders) return matches(path[from]!) ? from + 1 : undefined;
  const found = path.findIndex((name, index) => index >= from && matches(name));
  return found < 0 ? undefined : found + 1;
}
