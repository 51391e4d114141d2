/**
 * What the API server makes of an object when it reads or takes it under a schema: unknown fields are dropped, nulls
 * that are not allowed too, and defaults are filled in. Pure; nothing that it is given changes.
 * @see https://github.com/kubernetes/apiextensions-apiserver/tree/master/pkg/apiserver/schema
 */
import { fieldsOf } from '../../untyped.ts';
import type { Schema } from '../schema.ts';
import { isRecord } from '../../../api/json.ts';
import { isEmbedded, isOpen, itemsOf, mapFields, META_FIELDS, stepTo } from './node.ts';
import { takeSteps } from './steps.ts';

/** The object as it is read under the schema of a version. */
export function readUnder(schema: Schema, object: unknown): unknown {
  return fillIn(schema, dropNulls(schema, prune(schema, object, true)));
}

/** The object without what the schema does not name. */
export function prune(schema: Schema | undefined, value: unknown, isRoot = false): unknown {
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

/** An open list keeps what its items have besides. */
function pruneItems(schema: Schema | undefined, list: readonly unknown[]): readonly unknown[] {
  const items = itemsOf(schema);
  if (!isOpen(schema)) return list.map((item) => prune(items, item));
  if (items === undefined) return list;
  return list.map((item) => prune({ ...items, 'x-kubernetes-preserve-unknown-fields': true }, item));
}

function isForbiddenNull(value: unknown, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && schema['nullable'] !== true;
}

/** A null that is not allowed goes, unless a default is there to take its place. */
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

/** The value with the defaults of fields that are left out, or null where that is not allowed. */
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
