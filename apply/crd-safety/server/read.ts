/**
 * Simulates how the API server reads or accepts an object under a schema: drops unknown fields and nulls that are not
 * allowed, and fills in defaults. Pure; does not change its input.
 * @see https://github.com/kubernetes/apiextensions-apiserver/tree/master/pkg/apiserver/schema
 */
import { fieldsOf, isRecord } from '../../../api/untyped.ts';
import type { Schema } from '../schema.ts';
import { isEmbedded, isOpen, itemsOf, mapFields, META_FIELDS, stepTo } from './node.ts';
import { takeSteps } from './steps.ts';

/** The object as it is read under the schema of a version. */
export function readUnder(schema: Schema, object: unknown): unknown {
  return fillIn(schema, dropNulls(schema, prune(schema, object, true)));
}

/** The object without the fields that the schema does not name. */
function prune(schema: Schema | undefined, value: unknown, isRoot = false): unknown {
  takeSteps(1);
  if (Array.isArray(value)) return pruneItems(schema, value);
  if (!isRecord(value)) return value;
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
  return list.map((item) => prune({ ...items, 'x-kubernetes-preserve-unknown-fields': true }, item));
}

function isForbiddenNull(value: unknown, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && schema['nullable'] !== true;
}

/** Drops a null that is not allowed, unless a default replaces it. */
function dropNulls(schema: Schema | undefined, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => dropNulls(itemsOf(schema), item));
  if (!isRecord(value)) return value;
  return mapFields(value, (key, field) => {
    const below = stepTo(schema, key)?.schema;
    if (isForbiddenNull(field, below) && !hasDefault(below)) return undefined;
    return [key, dropNulls(below, field)];
  });
}

function hasDefault(schema: Schema | undefined): boolean {
  return schema?.['default'] !== undefined && schema['default'] !== null;
}

/** The value with defaults in place of absent fields and of nulls that are not allowed. */
export function fillIn(schema: Schema | undefined, value: unknown): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => fillIn(itemsOf(schema), orDefault(itemsOf(schema), item)));
  if (!isRecord(value)) return value;
  const missing = Object.entries(fieldsOf(schema['properties']))
    .filter(([name, property]) => !Object.hasOwn(value, name) && hasDefault(fieldsOf(property)))
    .map(([name, property]) => [name, fieldsOf(property)['default']] as const);
  return mapFields(Object.fromEntries([...Object.entries(value), ...missing]), (key, field) => {
    const below = stepTo(schema, key)?.schema;
    return [key, fillIn(below, orDefault(below, field))];
  });
}

function orDefault(schema: Schema | undefined, value: unknown): unknown {
  return isForbiddenNull(value, schema) && hasDefault(schema) ? schema?.['default'] : value;
}
