/**
 * Checks that data have the types that the reference tools expect; null is the same as absent, other fields may have
 * any type.
 */
import type { FieldKind } from '../csv-metadata.ts';
import { field } from '../fields.ts';
import { isRecord } from '../../api/untyped.ts';

/**
 * A kind of field as in the excerpt of a CSV, or one of these. An object stands for an object with these fields, a list
 * for a list of such objects; `list` is a list of anything.
 */
export type Form = FieldKind | 'bytes' | 'list' | 'text map' | Forms | readonly [Forms];
export interface Forms {
  readonly [field: string]: Form;
}

/** The values with a wrong type, by path: `entries[2].skips is not a list`. */
export function* formProblems(value: unknown, form: Form, path: string): Generator<string> {
  if (value === undefined || value === null) return;
  if (typeof form === 'string') {
    const { holds, wanted } = SIMPLE[form];
    if (!holds(value)) yield `${path} is not ${wanted}`;
    else if (form === 'texts') yield* itemProblems(value as readonly unknown[], 'text', path);
    else if (form === 'text map') yield* valueProblems(value as Readonly<Record<string, unknown>>, path);
  } else if (isList(form)) {
    if (!Array.isArray(value)) yield `${path} is not a list`;
    else yield* itemProblems(value, form[0], path);
  } else if (!isRecord(value)) {
    yield `${path} is not an object`;
  } else {
    for (const [name, kind] of Object.entries(form)) {
      yield* formProblems(field(value, name), kind, path === '' ? name : `${path}.${name}`);
    }
  }
}

type Simple = Extract<Form, string>;

const SIMPLE: Readonly<Record<Simple, { readonly wanted: string; readonly holds: (value: {}) => boolean }>> = {
  any: { wanted: 'there', holds: () => true },
  text: { wanted: 'a text', holds: isText },
  always: { wanted: 'a text', holds: isText },
  flag: { wanted: 'true or false', holds: (value) => typeof value === 'boolean' },
  port: { wanted: 'a whole number', holds: (value) => Number.isInteger(value) },
  bytes: { wanted: 'base64', holds: (value) => decodeBase64(value) !== undefined },
  list: { wanted: 'a list', holds: Array.isArray },
  texts: { wanted: 'a list', holds: Array.isArray },
  'text map': { wanted: 'an object', holds: isRecord },
};

/** The bytes of a text in base64 as Go decodes it: padded, in lines of any length; undefined for anything else. */
export function decodeBase64(value: unknown): Buffer | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replaceAll(/[\r\n]/g, '');
  return text.length % 4 === 0 && BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isList(form: Exclude<Form, string>): form is readonly [Forms] {
  return Array.isArray(form);
}

function* itemProblems(items: readonly unknown[], form: Form, path: string): Generator<string> {
  for (const [index, item] of items.entries()) yield* formProblems(item, form, `${path}[${index}]`);
}

function* valueProblems(values: Readonly<Record<string, unknown>>, path: string): Generator<string> {
  for (const [key, value] of Object.entries(values))
    yield* formProblems(value, 'text', `${path}[${JSON.stringify(key)}]`);
}
