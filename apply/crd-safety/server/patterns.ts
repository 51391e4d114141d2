/** Matches texts against the patterns of schemas, as the API server does. */
import { loadRe2 } from '../../../api/cel/lazy-re2.ts';
import { sizeOfPattern } from './pattern-size.ts';
import { readText, takeSteps } from './steps.ts';

interface Matcher {
  test(text: string): boolean;
}

interface Compiled {
  /** Undefined for a pattern that the library does not support, or that is too large. */
  readonly matcher: Matcher | undefined;
  readonly size: number;
}

/** The most recently compiled patterns. */
const compiled = new Map<string, Compiled>();
let compiledSize = 0;

/** Of one pattern (published: 192), and of all that are kept: each part takes some 400 bytes. */
const MOST_SIZE = 20_000;
const MOST_COMPILED = 100_000;
const STEPS_OF_COMPILING = 4;

/** Whether some part of the text matches; undefined if the pattern is not supported, or too large. */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  const { matcher, size } = compiledOf(pattern);
  readText(size * text.length);
  return matcher?.test(text);
}

function compiledOf(pattern: string): Compiled {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  readText(pattern.length);
  const size = sizeOfPattern(pattern);
  if (size <= MOST_SIZE) takeSteps(size * STEPS_OF_COMPILING);
  const made = { size, matcher: size > MOST_SIZE ? undefined : compile(pattern) };
  if (compiledSize > MOST_COMPILED) {
    compiled.clear();
    compiledSize = 0;
  }
  compiledSize += size + pattern.length;
  compiled.set(pattern, made);
  return made;
}

function compile(pattern: string): Matcher | undefined {
  try {
    return loadRe2().RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
