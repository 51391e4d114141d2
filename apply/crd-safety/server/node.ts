/** How the API server finds its way through a schema: the few questions that reading and checking both ask. */
import { fieldsOf } from '../../untyped.ts';
import { isSchema, type Schema } from '../schema.ts';

/** What every object has at its root, and an embedded one at its own, whether a schema names it or not. */
export const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Where a value stands below a schema. */
export interface Step {
  /** How the schema calls it: the name of a property, `items` or `additionalProperties`. */
  readonly name: string;
  /** Absent if no schema is about it. */
  readonly schema?: Schema;
}

/** The schema of a field: the property of that name, or that of any value of the map; no step if neither is there. */
export function stepTo(schema: Schema | undefined, key: string): Step | undefined {
  const properties = fieldsOf(schema?.['properties']);
  if (Object.hasOwn(properties, key)) return { name: key, schema: fieldsOf(properties[key]) };
  const values = schema?.['additionalProperties'];
  if (values === undefined || values === false || values === null) return undefined;
  return { name: 'additionalProperties', ...(isSchema(values) && { schema: values }) };
}

export function itemsOf(schema: Schema | undefined): Schema | undefined {
  const items = schema?.['items'];
  return isSchema(items) ? items : undefined;
}

/** Whether fields stay that the schema does not name. */
export function isOpen(schema: Schema | undefined): boolean {
  return schema?.['x-kubernetes-preserve-unknown-fields'] === true;
}

export function isEmbedded(schema: Schema | undefined): boolean {
  return schema?.['x-kubernetes-embedded-resource'] === true;
}

/** A copy with other fields; a field may have any name, `__proto__` too. */
export function mapFields(
  value: Readonly<Record<string, unknown>>,
  change: (key: string, field: unknown) => readonly [string, unknown] | undefined,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).flatMap(([key, field]) => [change(key, field) ?? []].filter(isPair)));
}

function isPair(pair: readonly unknown[]): pair is readonly [string, unknown] {
  return pair.length === 2;
}
