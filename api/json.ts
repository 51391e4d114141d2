/**
 * JSON that keeps integers beyond 2^53 exact: Kubernetes has 64-bit integers, JavaScript numbers do not. Also the
 * general functions on such data.
 */
import { writeDeepJson } from './deep-json.ts';
import { isRecord } from './untyped.ts';

/**
 * Limit of nested lists and objects. Catalogs and manifests may have 200, and rendering adds a few; functions that
 * recurse for each level, as JSON.parse with a reviver does, are safe far beyond this.
 */
export const MAX_JSON_DEPTH = 512;

/** Millions of digits take seconds to be read and written; no number of Kubernetes or of a catalog has as many as this. */
const MAX_DIGITS = 400;

/**
 * Parses JSON text; an integer that a number cannot hold exactly becomes a bigint. Throws SyntaxError, also for text
 * with more than {@link MAX_JSON_DEPTH} levels, and for an integer of more than 400 digits.
 */
export function parseJson(text: string): unknown {
  if (isNestedDeeper(text, MAX_JSON_DEPTH))
    throw new SyntaxError(`the JSON is nested more than ${MAX_JSON_DEPTH} levels deep`);
  if (!LONG_DIGITS.test(text)) return JSON.parse(text) as unknown;
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) ? exactly(value, context?.source ?? '') : value,
  ) as unknown;
}

function exactly(value: number, source: string): number | bigint {
  if (!/^-?\d+$/.test(source)) return value;
  if (source.replace('-', '').length > MAX_DIGITS)
    throw new SyntaxError(`the JSON has an integer of more than ${MAX_DIGITS} digits`);
  return BigInt(source);
}

/**
 * 2^53 has 16 digits, so a text without as many in a row has no integer that a number cannot hold. Parsed value by value,
 * manifests of a few megabytes take four times as long, and 25 MB more memory.
 */
const LONG_DIGITS = /\d{16}/;

/** Whether brackets are nested deeper than `most` somewhere in JSON text. Counts, without recursion. */
function isNestedDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > most) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
    }
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The end of the string that starts at an index; the end of the text if it is unterminated. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

/** JSON text, compact if no indentation is given or the value is nested too deep for one; the inverse of {@link parseJson}. */
export function formatJson(value: unknown, indent?: number | string): string {
  return orDeep(
    () => JSON.stringify(value, rawIntegers, indent),
    () => writeDeepJson(value, Object.keys, writeScalar),
  );
}

/** JSON with sorted keys and no white space: equal data gives equal bytes. */
export function canonicalJson(value: unknown): string {
  return orDeep(
    () => JSON.stringify(value, (key: string, child: unknown) => sortKeys(rawIntegers(key, child))),
    () => writeDeepJson(value, sortedKeys, writeScalar),
  );
}

/** An object of a stranger may be nested deeper than the stack reaches: that must not be a defect of its reader. */
function orDeep(write: () => string, writeDeep: () => string): string {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return writeDeep();
  }
}

function writeScalar(value: unknown): string | undefined {
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

/**
 * The target with a JSON merge patch applied; neither is changed.
 * @see https://www.rfc-editor.org/rfc/rfc7396
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged = new Map(Object.entries(isRecord(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

/** The part of JSON that TypeScript's library does not describe. */
const RawJson = JSON as unknown as { rawJSON(text: string): unknown; isRawJSON(value: object): boolean };

function rawIntegers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? RawJson.rawJSON(value.toString()) : value;
}

function sortKeys(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || RawJson.isRawJSON(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** In the order that `sortKeys` leads to: an object has its integer keys first. */
function sortedKeys(value: object): readonly string[] {
  return Object.keys(sortKeys(value) as object);
}
