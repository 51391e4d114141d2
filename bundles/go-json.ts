/** JSON as Go's encoding/json writes it: with `<`, `>`, `&` and the two line separators of Unicode escaped. */
import { formatJson } from '../api/json.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Compact JSON, keys in the order of the data. @see https://pkg.go.dev/encoding/json#Marshal */
export function goJson(value: unknown): string {
  return formatJson(value).replaceAll(/[<>&\u2028\u2029]/g, (character) => ESCAPES[character] ?? character);
}

/** The data with the keys of every map sorted, as Go writes maps. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, sortedKeys(child)]));
}
