/**
 * Simulates how the API server reads or accepts an object under a schema: drops unknown fields and nulls that are not
 * allowed, and fills in defaults. Pure; does not change its input.
 * @see https://github.com/kubernetes/apiextensions-apiserver/tree/master/pkg/apiserver/schema
 */
import { type Fields, fieldsOf, isRecord } from '../../../api/untyped.ts';
import { hasDefault, type Schema } from '../schema.ts';
import { isEmbedded, isOpen, itemsOf, mapFields, META_FIELDS, stepTo } from './node.ts';
import { listFields, passFields, takeSteps, VISIT } from './steps.ts';

/** The object as it is read under the schema of a version. */
export function readUnder(schema: Schema, object: unknown): unknown {
  return fillIn(schema, dropNulls(schema, prune(schema, object, true)));
}

/** The object without the fields that the schema does not name. */
function prune(schema: Schema | undefined, value: unknown, isRoot = false): unknown {
  takeSteps(1);
  if (Array.isArray(value)) return pruneItems(schema, value);
  if (!isRecord(value)) return value;
  listFields(Object.keys(value).length);
  return mapFields(value, (key, field) => {
    if ((isRoot || isEmbedded(schema)) && META_FIELDS.has(key)) return [key, field];
    const step = stepTo(schema, key);
    if (step !== undefined) return [key, prune(step.schema, field)];
    return isOpen(schema) ? [key, field] : undefined;
  });
}

/** If the list preserves unknown fields, its items keep them too. */
function pruneItems(schema: Schema | undefined, list: readonly unknown[]): readonly unknown[] {
  const items = itemsOf(schema);
  if (!isOpen(schema)) return list.map((item) => prune(items, item));
  if (items === undefined) return list;
  const open = opened(items);
  return list.map((item) => prune(open, item));
}

const openSchemas = new WeakMap<Schema, Schema>();

/** The same schema, which preserves unknown fields. */
function opened(schema: Schema): Schema {
  const open = openSchemas.get(schema) ?? { ...schema, 'x-kubernetes-preserve-unknown-fields': true };
  openSchemas.set(schema, open);
  return open;
}

function isForbiddenNull(value: unknown, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && schema['nullable'] !== true;
}

/** Drops a null that is not allowed, unless a default replaces it. */
function dropNulls(schema: Schema | undefined, value: unknown): unknown {
  takeSteps(VISIT);
  if (Array.isArray(value)) return value.map((item) => dropNulls(itemsOf(schema), item));
  if (!isRecord(value)) return value;
  return mapFields(value, (key, field) => {
    const below = stepTo(schema, key)?.schema;
    if (isForbiddenNull(field, below) && !hasDefault(below)) return undefined;
    return [key, dropNulls(below, field)];
  });
}

/** The value with defaults in place of absent fields and of nulls that are not allowed. */
export function fillIn(schema: Schema | undefined, value: unknown): unknown {
  if (schema === undefined) return value;
  takeSteps(VISIT);
  if (Array.isArray(value)) return value.map((item) => fillIn(itemsOf(schema), orDefault(itemsOf(schema), item)));
  if (!isRecord(value)) return value;
  return mapFields(withMissing(schema, value), (key, field) => {
    const below = stepTo(schema, key)?.schema;
    return [key, fillIn(below, orDefault(below, field))];
  });
}

function withMissing(schema: Schema, value: Fields): Fields {
  const defaults = defaultsIn(schema);
  passFields(defaults.length);
  const missing = defaults.filter(([name]) => !Object.hasOwn(value, name));
  // Each takes memory, before any of them is judged.
  takeSteps(missing.length);
  return missing.length === 0 ? value : Object.fromEntries([...Object.entries(value), ...missing]);
}

const defaultsOfFields = new WeakMap<Schema, readonly (readonly [string, unknown])[]>();

/** The fields of a schema that have a default, with it. */
function defaultsIn(schema: Schema): readonly (readonly [string, unknown])[] {
  const known = defaultsOfFields.get(schema);
  if (known !== undefined) return known;
  const fields = Object.entries(fieldsOf(schema['properties']));
  listFields(fields.length);
  const defaults = fields
    .filter(([, field]) => hasDefault(fieldsOf(field)))
    .map(([name, field]) => [name, fieldsOf(field)['default']] as const);
  defaultsOfFields.set(schema, defaults);
  return defaults;
}

function orDefault(schema: Schema | undefined, value: unknown): unknown {
  return isForbiddenNull(value, schema) && hasDefault(schema) ? schema?.['default'] : value;
}
