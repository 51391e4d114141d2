/**
 * Reads fields of published data the way the reference tools do: a field name matches without regard to case, and
 * null is the same as absent.
 */

import { fieldsOf, itemsOf, type Fields } from '../api/untyped.ts';

/** The value of a field; if several names differ only in case, the last one counts. */
export function field(object: Fields, name: string): unknown {
  if (Object.hasOwn(object, name)) {
    const value = object[name];
    if (!hasOtherSpelling(object, name)) return value ?? undefined;
  }
  let found: unknown;
  for (const key of Object.keys(object)) if (key === name || foldCase(key) === foldCase(name)) found = object[key];
  return found ?? undefined;
}

/** The text of a field; undefined if it is absent, null or no text. */
export function textField(object: Fields, name: string): string | undefined {
  const value = field(object, name);
  return typeof value === 'string' ? value : undefined;
}

/** The items of a field; empty if it is absent, null or no list. */
export function listField(object: Fields, name: string): readonly unknown[] {
  return itemsOf(field(object, name));
}

/** The object in a field; one without fields if it is absent, null or no object. */
export function objectField(object: Fields, name: string): Fields {
  return fieldsOf(field(object, name));
}

/** Text in which letters that differ only in case are equal, Unicode's further forms (`ſ`, `K`) included. */
export function foldCase(text: string): string {
  return /^[a-z]*$/.test(text) ? text : text.toUpperCase().toLowerCase();
}

function hasOtherSpelling(object: Fields, name: string): boolean {
  const folded = foldCase(name);
  for (const key of Object.keys(object)) {
    if (key !== name && key.length === name.length && foldCase(key) === folded) return true;
  }
  return false;
}
