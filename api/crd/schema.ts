/**
 * Converts the zod schema of a kind into the structural OpenAPI schema that the API server requires in a
 * CustomResourceDefinition. Called by definition.ts; does no I/O.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
import { isRecord } from '../untyped.ts';
import * as z from 'zod';

/** A node of a structural schema: the keywords that Slipway's own CRDs use. */
export interface StructuralSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly required?: readonly string[];
  readonly [word: string]: unknown;
}

/** The keywords of a node, in the order in which they are written. Others are not used here. */
export const WORDS: readonly string[] = [
  'description',
  'type',
  'format',
  'nullable',
  'default',
  'enum',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'maxProperties',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-validations',
  'required',
  'properties',
  'additionalProperties',
  'items',
];

/** Keywords of zod that a structural schema rejects, or defines differently; the last two are added back below. */
const DROPPED: ReadonlySet<string> = new Set(['$schema', 'propertyNames', 'additionalProperties', 'properties']);

/** The structural schema for manifests that people write: fields with a default are not required. */
export function toStructuralSchema(schema: z.ZodType): StructuralSchema {
  return convert(z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', reused: 'inline', cycles: 'throw' }));
}

type Json = Readonly<Record<string, unknown>>;

function convert(node: Json): StructuralSchema {
  if (node['x-kubernetes-int-or-string'] === true) {
    return pick(node, ['description', 'nullable', 'x-kubernetes-int-or-string', 'maxLength']);
  }
  const words = Object.entries(node)
    .filter(([word]) => !DROPPED.has(word))
    .sort(([a], [b]) => WORDS.indexOf(a) - WORDS.indexOf(b));
  return {
    ...Object.fromEntries(words),
    ...(isRecord(node['items']) && { items: convert(node['items']) }),
    ...convertFields(node),
  };
}

/** An object has fields, or values by name, or preserves everything. */
function convertFields(node: Json): StructuralSchema {
  const fields = Object.entries((node['properties'] ?? {}) as Readonly<Record<string, Json>>);
  if (fields.length > 0) {
    return { properties: Object.fromEntries(fields.map(([name, field]) => [name, convert(field)])) };
  }
  const values = node['additionalProperties'];
  const closed = node['x-kubernetes-preserve-unknown-fields'] === true || !isRecord(values);
  return closed ? {} : { additionalProperties: convert(values) };
}

function pick(node: Json, words: readonly string[]): StructuralSchema {
  return Object.fromEntries(words.filter((word) => word in node).map((word) => [word, node[word]]));
}
