/**
 * Values that a structural schema admits, as random as it allows: absurd texts wherever any text is valid, bounds if
 * there are bounds, fields present or absent. Only the server checks the rules beyond types.
 */
import fc from 'fast-check';
import type { StructuralSchema } from '../schema.ts';
import { children, isPodPart } from '../structural.ts';
import { HOSTILE_TEXTS, TIMES } from './hostile-values.ts';

export interface SchemaOptions {
  /** Texts that mean something in the field of this path, such as names of objects that exist. */
  readonly wordsFor: (path: string) => readonly string[];
  /** Path of a field that is always there, with a hostile value. */
  readonly must?: string;
}

/** Chance in ten that an optional field is there. */
const PRESENCE = 5;
const ORDINARY_LENGTH = 3;
/** Longer lists are of one repeated entry, and rare. */
const LONG_LENGTH = 300;

/** Values of a schema; `path` is its place: `spec.windows[].cron`. */
export function valuesOf(schema: StructuralSchema, options: SchemaOptions, path = ''): fc.Arbitrary<unknown> {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) {
    const known = fields(schema, options, path);
    return fc.tuple(unknownFields(), known).map(([more, given]) => ({ ...(more as object), ...(given as object) }));
  }
  if (schema['x-kubernetes-int-or-string'] === true) return fc.oneof(fc.integer(), texts(schema, options, path));
  switch (schema.type) {
    case 'object':
      return schema.additionalProperties === undefined ? fields(schema, options, path) : maps(schema, options, path);
    case 'array':
      return lists(schema, options, path);
    case 'integer':
    case 'number':
      return numbers(schema);
    case 'boolean':
      return fc.boolean();
    default:
      return texts(schema, options, path);
  }
}

/** The path of every field that has no fields of its own; a part of a Pod counts as one. */
export function leavesOf(schema: StructuralSchema, path = ''): readonly string[] {
  if (path !== '' && isPodPart(schema)) return [path];
  if (schema.type === 'array' && schema.items !== undefined) return leavesOf(schema.items, `${path}[]`);
  const below = Object.entries(schema.properties ?? {});
  return below.length === 0 ? [path] : below.flatMap(([name, child]) => leavesOf(child, join(path, name)));
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function isOnTheWay(path: string, must: string | undefined): boolean {
  return must === path || (must?.startsWith(`${path}.`) ?? false) || (must?.startsWith(`${path}[]`) ?? false);
}

function fields(schema: StructuralSchema, options: SchemaOptions, path: string): fc.Arbitrary<unknown> {
  const entries = Object.entries(schema.properties ?? {}).map(([name, child]) => {
    const at = join(path, name);
    const value = valuesOf(child, options, at).map((one) => [[name, one] as const]);
    const isNeeded = schema.required?.includes(name) === true || isOnTheWay(at, options.must);
    const absent = fc.constant<readonly (readonly [string, unknown])[]>([]);
    return isNeeded
      ? value
      : fc.oneof({ weight: PRESENCE, arbitrary: value }, { weight: 10 - PRESENCE, arbitrary: absent });
  });
  return fc.tuple(...entries).map((present) => Object.fromEntries(present.flat()));
}

function maps(schema: StructuralSchema, options: SchemaOptions, path: string): fc.Arbitrary<unknown> {
  const keys = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.constantFrom('app', 'slipway.dev/owner'));
  const values = valuesOf(schema.additionalProperties as StructuralSchema, options, `${path}.*`);
  const maxLength = Math.min(ORDINARY_LENGTH, Number(schema['maxProperties'] ?? ORDINARY_LENGTH));
  return fc.array(fc.tuple(keys, values), { maxLength }).map((entries) => Object.fromEntries(entries));
}

function lists(schema: StructuralSchema, options: SchemaOptions, path: string): fc.Arbitrary<unknown> {
  const items = valuesOf(schema.items as StructuralSchema, options, `${path}[]`);
  const most = Number(schema['maxItems'] ?? ORDINARY_LENGTH);
  const least = Math.max(Number(schema['minItems'] ?? 0), options.must?.startsWith(`${path}[]`) === true ? 1 : 0);
  const bounds = { minLength: least, maxLength: Math.min(most, Math.max(least, ORDINARY_LENGTH)) };
  if (schema['x-kubernetes-list-type'] !== 'atomic') {
    return fc.uniqueArray(items, { ...bounds, selector: (item) => identify(item, schema) });
  }
  if (hasLists(schema.items as StructuralSchema)) return fc.array(items, bounds);
  const long = items.map((item) => Array.from({ length: Math.min(most, LONG_LENGTH) }, () => item));
  return fc.oneof({ weight: 19, arbitrary: fc.array(items, bounds) }, { weight: 1, arbitrary: long });
}

/** Long lists of objects that have long lists would be larger than the API server takes. */
function hasLists(schema: StructuralSchema): boolean {
  return schema.type === 'array' || children(schema).some(([, child]) => hasLists(child));
}

/** The keys by which the API server distinguishes entries. */
function identify(item: unknown, schema: StructuralSchema): string {
  const keys = schema['x-kubernetes-list-map-keys'] as readonly string[] | undefined;
  return JSON.stringify(keys === undefined ? item : keys.map((key) => (item as Record<string, unknown>)[key]));
}

function numbers(schema: StructuralSchema): fc.Arbitrary<number> {
  const min = Number(schema['minimum'] ?? -2147483648);
  const max = Number(schema['maximum'] ?? 2147483647);
  return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }));
}

function texts(schema: StructuralSchema, { wordsFor, must }: SchemaOptions, path: string): fc.Arbitrary<string> {
  const choices = schema['enum'] as readonly string[] | undefined;
  if (choices !== undefined) return fc.constantFrom(...choices);
  if (schema['format'] === 'date-time') return fc.constantFrom(...TIMES);
  const { fits, hostile } = hostileIn(schema);
  const meant = must === path ? [] : wordsFor(path).filter(fits);
  return fc.oneof(...weighted(6, meant), ...hostile);
}

interface Hostile {
  readonly fits: (text: string) => boolean;
  readonly hostile: readonly fc.WeightedArbitrary<string>[];
}

/** Made once for each field: to understand a pattern takes long. */
const HOSTILE = new WeakMap<StructuralSchema, Hostile>();

function hostileIn(schema: StructuralSchema): Hostile {
  const known = HOSTILE.get(schema);
  if (known !== undefined) return known;
  const fits = fitting(schema);
  const made = {
    fits,
    hostile: [...weighted(3, HOSTILE_TEXTS.filter(fits)), { weight: 1, arbitrary: madeUp(schema, fits) }],
  };
  HOSTILE.set(schema, made);
  return made;
}

function weighted(weight: number, values: readonly string[]): readonly fc.WeightedArbitrary<string>[] {
  return values.length === 0 ? [] : [{ weight, arbitrary: fc.constantFrom(...values) }];
}

/** Unusual texts, up to the longest that is admitted. */
function madeUp(schema: StructuralSchema, fits: (text: string) => boolean): fc.Arbitrary<string> {
  const maxLength = Number(schema['maxLength'] ?? 64);
  const pattern = schema['pattern'];
  if (typeof pattern === 'string') {
    return fc.stringMatching(new RegExp(pattern), { maxLength: Math.min(maxLength, 120) }).filter(fits);
  }
  const minLength = Number(schema['minLength'] ?? 0);
  const random = fc.string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, 80) });
  return fc.oneof({ weight: 4, arbitrary: random }, { weight: 1, arbitrary: fc.constant('x'.repeat(maxLength)) });
}

function fitting(schema: StructuralSchema): (text: string) => boolean {
  const pattern = typeof schema['pattern'] === 'string' ? new RegExp(schema['pattern']) : undefined;
  const [least, most] = [Number(schema['minLength'] ?? 0), Number(schema['maxLength'] ?? Infinity)];
  return (text) => {
    const length = Array.from(text).length;
    return length >= least && length <= most && (pattern?.test(text) ?? true);
  };
}

function unknownFields(): fc.Arbitrary<unknown> {
  const nested = (depth: number): unknown => {
    let value: unknown = 'deep';
    for (let at = 0; at < depth; at += 1) value = { a: value };
    return value;
  };
  return fc.oneof(
    fc.dictionary(fc.constantFrom('name', 'key', 'operator', 'emptyDir', 'nodeAffinity'), fc.jsonValue()),
    fc.constantFrom(...[1, 100, 1000].map(nested)),
    fc.constant({}),
  );
}
