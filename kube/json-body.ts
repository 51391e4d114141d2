/** Reads JSON from the API server: fast where numbers are small, exact where they may not be. */
import { parseJson } from '../api/json.ts';

/** As {@link parseJson}; throws SyntaxError. Text without a long run of digits takes the fast path. */
export function parseBody(text: string): unknown {
  return LONG_DIGITS.test(text) ? parseJson(text) : (JSON.parse(text) as unknown);
}

/** 2^53 has 16 digits. */
const LONG_DIGITS = /\d{16}/;
