/** Keeps the beginning of texts and lists whose length other users decide. Pure. */
import { isRecord } from '../api/untyped.ts';

/** No code reads more of a text of a status. */
const LONGEST_TEXT = 4096;
/** Controllers write fewer conditions, and Pods have fewer containers. */
const MOST_ENTRIES = 50;

/** The beginning of a text, as a copy: a slice would hold the whole text in memory. */
export function beginningOf(text: string, length = LONGEST_TEXT): string {
  return text.length <= length ? text : ownCopy(wholeCharacters(text.slice(0, length)));
}

/** The same text, which shares no memory with a longer one. */
export function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}

/** A text that was cut, without the half of a character at its end. */
export function wholeCharacters(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, '');
}

/** The same JSON with the first entries of long lists, the beginning of long texts, and no field that is undefined. */
export function shortened(value: unknown): unknown {
  if (typeof value === 'string') return beginningOf(value);
  if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES).map(shortened);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, shortened(field)]));
}
