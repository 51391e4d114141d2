/** Reads JSON from the API server: fast if all numbers are small, exact otherwise. */
import { parseJson } from '../../api/json.ts';

/**
 * As {@link parseJson}; throws SyntaxError. Text without a long run of digits takes the fast path.
 *
 * The API server lets custom resources nest 10,000 levels deep. One such object in a list must not make the others
 * unreadable, so an answer that is nested too deep for exact integers is read with rounded ones.
 */
export function parseBody(text: string): unknown {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text) as unknown;
  try {
    return parseJson(text);
  } catch {
    return JSON.parse(text) as unknown;
  }
}

/** 2^53 has 16 digits. */
const LONG_DIGITS = /\d{16}/;
