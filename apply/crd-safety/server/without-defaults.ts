/**
 * Removes defaults from an object as read: a default that was added to the schema after the object's last write is
 * visible in reads but not stored. Pure.
 */
import { fieldsOf, isRecord } from '../../../api/untyped.ts';
import type { Schema } from '../schema.ts';
import { itemsOf, stepTo } from './node.ts';
import { listFields, takeSteps, VISIT } from './steps.ts';
import { measuredJson } from './texts.ts';

/** The value without fields that equal their default; the same value if there are none. */
export function withoutDefaults(schema: Schema | undefined, value: unknown): unknown {
  if (schema === undefined) return value;
  takeSteps(VISIT);
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutDefaults(itemsOf(schema), item));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isRecord(value)) return value;
  const properties = fieldsOf(schema['properties']);
  const fields = Object.entries(value);
  listFields(fields.length);
  let isSame = true;
  const kept = fields.flatMap(([key, field]): [string, unknown][] => {
    const standIn = Object.hasOwn(properties, key) ? defaultIn(fieldsOf(properties[key])) : undefined;
    const below = withoutDefaults(stepTo(schema, key)?.schema, field);
    isSame &&= below === field;
    if (standIn !== undefined && [...new Set([field, below])].some((one) => measuredJson(one) === standIn)) {
      isSame = false;
      return [];
    }
    return [[key, below]];
  });
  return isSame ? value : Object.fromEntries(kept);
}

const defaults = new WeakMap<Schema, string>();

/** The default of a schema as JSON; undefined if it has none. */
function defaultIn(schema: Schema): string | undefined {
  const value = schema['default'];
  if (value === undefined) return undefined;
  const json = defaults.get(schema) ?? measuredJson(value);
  defaults.set(schema, json);
  return json;
}
