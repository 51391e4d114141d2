/** How the API server walks through a schema: shared by reading and checking. */
import { fieldsOf } from '../../../api/untyped.ts';
import { isAbsent, isSchema, type Schema } from '../schema.ts';

/** Fields that every object has at its root, embedded objects too, whether a schema names them or not. */
export const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** One step down in a schema. */
export interface SchemaStep {
  /** Name of the step in the schema: of a property, `items` or `additionalProperties`. */
  readonly name: string;
  /** Absent if no schema describes the value. */
  readonly schema?: Schema;
}

/**
 * The schema of a field: the property of that name, or the schema of map values; undefined if the schema has neither.
 */
export function stepTo(schema: Schema | undefined, key: string): SchemaStep | undefined {
  const properties = fieldsOf(schema?.['properties']);
  if (Object.hasOwn(properties, key)) return { name: key, schema: fieldsOf(properties[key]) };
  const values = schema?.['additionalProperties'];
  if (isAbsent(values) || values === false) return undefined;
  return { name: 'additionalProperties', ...(isSchema(values) && { schema: values }) };
}

export function itemsOf(schema: Schema | undefined): Schema | undefined {
  const items = schema?.['items'];
  return isSchema(items) ? items : undefined;
}

/** Whether fields that the schema does not name are preserved. */
export function isOpen(schema: Schema | undefined): boolean {
  return schema?.['x-kubernetes-preserve-unknown-fields'] === true;
}

export function isEmbedded(schema: Schema | undefined): boolean {
  return schema?.['x-kubernetes-embedded-resource'] === true;
}

/** A copy with other fields; a field may have any name, including `__proto__`. */
export function mapFields(
  value: Readonly<Record<string, unknown>>,
  change: (key: string, field: unknown) => readonly [string, unknown] | undefined,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).flatMap(([key, field]) => [change(key, field) ?? []].filter(isPair)));
}

function isPair(pair: readonly unknown[]): pair is readonly [string, unknown] {
  return pair.length === 2;
}
