/**
 * Removes defaults from an object as read: a default that was added to the schema after the object's last write is
 * visible in reads but not stored. Pure.
 */
import { canonicalJson } from '../../../api/json.ts';
import { fieldsOf, isRecord } from '../../../api/untyped.ts';
import type { Schema } from '../schema.ts';
import { itemsOf, stepTo } from './node.ts';

/** The value without fields that equal their default; the same value if there are none. */
export function withoutDefaults(schema: Schema | undefined, value: unknown): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutDefaults(itemsOf(schema), item));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isRecord(value)) return value;
  const properties = fieldsOf(schema['properties']);
  let isSame = true;
  const kept = Object.entries(value).flatMap(([key, field]): [string, unknown][] => {
    const standIn = Object.hasOwn(properties, key) ? fieldsOf(properties[key])['default'] : undefined;
    const below = withoutDefaults(stepTo(schema, key)?.schema, field);
    isSame &&= below === field;
    if (standIn !== undefined && [field, below].some((one) => canonicalJson(one) === canonicalJson(standIn))) {
      isSame = false;
      return [];
    }
    return [[key, below]];
  });
  return isSame ? value : Object.fromEntries(kept);
}
