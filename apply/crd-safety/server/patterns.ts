/** Matches texts against the patterns of schemas, as the API server does. */
import { loadRe2 } from '../../../api/cel/lazy-re2.ts';
import { takeSteps } from './steps.ts';

interface Matcher {
  test(text: string): boolean;
}

/** The most recently compiled patterns; undefined for one that the library does not support. */
const compiled = new Map<string, Matcher | undefined>();
const MOST_COMPILED = 2000;
const CHARACTERS_OF_A_STEP = 20;

/** Whether some part of the text matches; undefined if the pattern is not supported. */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  if (!compiled.has(pattern)) {
    if (compiled.size >= MOST_COMPILED) compiled.clear();
    compiled.set(pattern, compile(pattern));
  }
  takeSteps((pattern.length * text.length) / CHARACTERS_OF_A_STEP);
  return compiled.get(pattern)?.test(text);
}

function compile(pattern: string): Matcher | undefined {
  try {
    return loadRe2().RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
