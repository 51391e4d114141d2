/** Finds schema constraints on several values at a time, which a new default may break. Pure. */
import { fieldsOf, itemsOf, textOf } from '../../api/untyped.ts';
import { isAbsent, isSchema, parentOf, type Schema } from './schema.ts';

const OF_MANY = ['allOf', 'anyOf', 'oneOf', 'not', 'enum', 'maxProperties', 'x-kubernetes-validations'] as const;
const OF_DEFAULTS = [...OF_MANY, 'x-kubernetes-embedded-resource'] as const;

/**
 * The constraint above the value at a path, in words; undefined if there is none. `nodes` are the schema's, by path.
 */
export function constraintAbove(path: string, nodes: ReadonlyMap<string, Schema>): string | undefined {
  for (let at: string | undefined = path; at !== undefined; at = parentOf(at)) {
    const schema = nodes.get(at);
    if (schema === undefined) continue;
    const keyword = at === path ? undefined : OF_MANY.find((name) => !isAbsent(schema[name]));
    if (keyword !== undefined) return `${keyword} of ${at}`;
    if (isPartOfKey(path, at, schema)) return `the list ${at}, whose items differ,`;
  }
  return undefined;
}

/** Items of a set are compared as a whole, those of a list with keys by their keys. */
function isPartOfKey(path: string, at: string, schema: Schema): boolean {
  const type = textOf(schema['x-kubernetes-list-type']);
  if (type !== 'map') return type === 'set' || schema['uniqueItems'] === true;
  const place = `${at}.items.`;
  return path.startsWith(place) && keysOf(schema).has(path.slice(place.length));
}

const keysOfLists = new WeakMap<Schema, ReadonlySet<string>>();

/** The keys of a list, as a set: each field of its items may ask. */
function keysOf(schema: Schema): ReadonlySet<string> {
  const keys = keysOfLists.get(schema) ?? new Set(itemsOf(schema['x-kubernetes-list-map-keys']).map(textOf));
  keysOfLists.set(schema, keys);
  return keys;
}

/**
 * The same for an object or list that a default creates, and for all nodes below it: further defaults are filled in
 * there.
 */
export function constraintWithin(schema: Schema): string | undefined {
  const known = within.get(schema);
  if (known !== undefined) return known.constraint;
  const constraint = findWithin(schema);
  within.set(schema, { constraint });
  return constraint;
}

/** Each level of nested defaults may ask for all that is below it. */
const within = new WeakMap<Schema, { readonly constraint: string | undefined }>();

function findWithin(schema: Schema): string | undefined {
  // The API server validates a scalar default when it accepts the CRD.
  if (SCALARS.has(textOf(schema['type']))) return undefined;
  const keyword = OF_DEFAULTS.find((name) => !isAbsent(schema[name]));
  if (keyword !== undefined) return `${keyword} within it`;
  const children = [...Object.values(fieldsOf(schema['properties'])), schema['items'], schema['additionalProperties']];
  for (const child of children) {
    const found = isSchema(child) ? constraintWithin(child) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean']);
