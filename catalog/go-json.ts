/** Writes JSON exactly as Go's encoding/json does, for documents whose bytes are published. */

const HTML: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };
const LARGEST_INT64 = 9223372036854775807n;

/**
 * Compact JSON with sorted keys, and with `<`, `>`, `&`, U+2028 and U+2029 escaped.
 * @see https://pkg.go.dev/encoding/json#Marshal
 */
export function formatGoJson(value: unknown): string {
  if (typeof value === 'string') return formatText(value);
  if (typeof value === 'bigint') return value > LARGEST_INT64 ? JSON.stringify(Number(value)) : value.toString();
  if (Array.isArray(value)) return `[${value.map(formatGoJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value).filter(([, child]) => child !== undefined);
  members.sort(([a], [b]) => compareBytes(a, b));
  return `{${members.map(([key, child]) => `${formatText(key)}:${formatGoJson(child)}`).join(',')}}`;
}

/** Order of the texts' UTF-8 bytes, in which Go sorts. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  return /[\uD800-\uFFFF]/.test(a + b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : 1;
}

function formatText(text: string): string {
  return JSON.stringify(text.toWellFormed())
    .replaceAll(/[<>&]/g, (character) => HTML[character]!)
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}
