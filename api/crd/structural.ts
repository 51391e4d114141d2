/**
 * Checks that a schema is structural, as the API server requires, and that everything in it is bounded, as its cost
 * estimate of rules and the safety of this manager require.
 */
import { WORDS, type StructuralSchema } from './schema.ts';

/** One fault of a schema: `{ path: 'spec.source', problem: 'has no type' }`. */
export interface SchemaFinding {
  readonly path: string;
  readonly problem: string;
}

/** All parts of `schema` that are not structural or not bounded; empty for a valid one. */
export function checkSchema(schema: StructuralSchema, path = ''): readonly SchemaFinding[] {
  return [
    ...checkNode(schema).map((problem) => ({ path, problem })),
    ...children(schema).flatMap(([name, child]) => checkSchema(child, path === '' ? name : `${path}.${name}`)),
  ];
}

function checkNode(node: StructuralSchema): readonly string[] {
  const checks: readonly (readonly [boolean, string])[] = [
    ...Object.keys(node).map((word) => [WORDS.includes(word), `may not use ${word}`] as const),
    [node.type !== undefined || node['x-kubernetes-int-or-string'] === true, 'has no type'],
    [!(node.properties && node.additionalProperties), 'has both properties and additionalProperties'],
    [isKnown(node), 'is an object without fields'],
    [(node.required ?? []).every((name) => name in (node.properties ?? {})), 'requires a field that it does not have'],
    [node.type !== 'array' || node.items !== undefined, 'is a list without items'],
    [node.type !== 'array' || typeof node['maxItems'] === 'number', 'is a list without maxItems'],
    [node.type !== 'array' || typeof node['x-kubernetes-list-type'] === 'string', 'is a list without a list type'],
    [hasMapKeys(node), 'is a list by keys that its items do not require'],
    [node.type !== 'string' || isBoundedString(node), 'is a string without maxLength or enum'],
    [node.type !== 'integer' || isBoundedInteger(node), 'is an integer without minimum and maximum'],
    [
      node.additionalProperties === undefined || typeof node['maxProperties'] === 'number',
      'is a map without maxProperties',
    ],
  ];
  return checks.filter(([good]) => !good).map(([, problem]) => problem);
}

function isKnown(node: StructuralSchema): boolean {
  if (node.type !== 'object' || node['x-kubernetes-preserve-unknown-fields'] === true) return true;
  return node.properties !== undefined || node.additionalProperties !== undefined;
}

function hasMapKeys(node: StructuralSchema): boolean {
  if (node['x-kubernetes-list-type'] !== 'map') return true;
  const keys = (node['x-kubernetes-list-map-keys'] ?? []) as readonly string[];
  return keys.length > 0 && keys.every((key) => node.items?.required?.includes(key));
}

function isBoundedString(node: StructuralSchema): boolean {
  return typeof node['maxLength'] === 'number' || Array.isArray(node['enum']);
}

function isBoundedInteger(node: StructuralSchema): boolean {
  return typeof node['minimum'] === 'number' && typeof node['maximum'] === 'number';
}

/**
 * Whether the fields below are those of a part of a Pod: Kubernetes explains them, and none has a description here.
 */
export function isPodPart(node: StructuralSchema): boolean {
  const fields = Object.values(node.items?.properties ?? node.properties ?? {});
  return fields.length > 0 && fields.every(({ description }) => description === undefined);
}

/** The nodes directly below: fields by name, items as `[]`, values of a map as `*`. */
export function children(node: StructuralSchema): readonly (readonly [string, StructuralSchema])[] {
  return [
    ...Object.entries(node.properties ?? {}),
    ...(node.items === undefined ? [] : [['[]', node.items] as const]),
    ...(node.additionalProperties === undefined ? [] : [['*', node.additionalProperties] as const]),
  ];
}
