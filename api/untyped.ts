/** Readers of data whose shape other programs chose: a value of another type reads as if the field were absent. */

/** The fields of an object of unknown shape. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and no list. */
export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of an object; none for any other value. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** The items of a list; none for any other value. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The items of a list as objects, each at its place: an item that is no object has no fields. */
export function listOf(value: unknown): readonly Fields[] {
  return itemsOf(value).map(fieldsOf);
}

/** The text; empty for any other value. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The number; undefined for any other value, bigint included. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
