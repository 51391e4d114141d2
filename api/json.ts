/**
 * JSON that keeps integers beyond 2^53 as they are written: Kubernetes has 64-bit integers, JavaScript numbers do not.
 * With what is asked of such data everywhere.
 */

/** Parses JSON text; an integer that a number cannot hold exactly becomes a bigint. Throws SyntaxError. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? 0)
      : value,
  ) as unknown;
}

/** Compact JSON text; the inverse of {@link parseJson}. */
export function formatJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, rawIntegers, indent);
}

/** JSON with sorted keys and no white space: equal data, equal bytes. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (key: string, child: unknown) => sortKeys(rawIntegers(key, child)));
}

/** Whether a value is an object with fields, and no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
