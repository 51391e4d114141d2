/**
 * CRD changes with one object each, and the effect on that object. A unit test checks our verdict, and
 * e2e/stories/crd-safety the behaviour of an API server.
 */
import type { Fields } from '../../../api/untyped.ts';
import type { KubeObject } from '../../../api/object.ts';

export interface Version {
  readonly name: string;
  readonly spec: Fields;
  readonly served?: boolean;
  readonly storage?: boolean;
  /** Fields beside `spec` in the schema's root. */
  readonly root?: Fields;
  readonly subresources?: Fields;
}

export interface Case {
  readonly because: string;
  /** The schema of `spec`, or all versions. */
  readonly old: Fields | readonly Version[];
  readonly next: Fields | readonly Version[];
  readonly spec: unknown;
  /** Name of the object; `a` if absent. */
  readonly name?: string;
  /** The version in which the object is created; v1 if absent. */
  readonly version?: string;
  readonly outcome: 'loses' | 'rejects' | 'unhurt';
}

/** A CRD of the group; names follow from the plural. */
export function crdOf(plural: string, versions: Fields | readonly Version[], group = 'example.com'): KubeObject {
  const list = Array.isArray(versions) ? (versions as readonly Version[]) : [{ name: 'v1', spec: versions as Fields }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: plural, kind: kindOf(plural), listKind: `${kindOf(plural)}List` },
      versions: list.map(versionOf),
    },
  };
}

export function kindOf(plural: string): string {
  return `${plural.charAt(0).toUpperCase()}${plural.slice(1)}`;
}

function versionOf(
  { name, spec, served = true, storage, root = {}, subresources }: Version,
  _: number,
  all: readonly Version[],
): Fields {
  return {
    name,
    served,
    storage: storage ?? all.length === 1,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec, ...root } } },
    ...(subresources !== undefined && { subresources }),
  };
}

const text = { type: 'string' };
const integer = { type: 'integer' };
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const object = (properties: Fields, fields: Fields = {}): Fields => ({ type: 'object', properties, ...fields });
const list = (items: Fields, fields: Fields = {}): Fields => ({ type: 'array', items, ...fields });
const map = (additionalProperties: unknown): Fields => ({ type: 'object', additionalProperties });
const rule = (expression: string): Fields => ({ 'x-kubernetes-validations': [{ rule: expression }] });
const x = (schema: Fields): Fields => object({ x: schema });

/** The change loses or rejects data; earlier versions of this check missed these cases. */
const HURT: readonly Case[] = [
  {
    because: 'the new schema does not name a key within a preserved value',
    old: object({ a: open }),
    next: object({ a: object({ b: object({ c: text }) }) }),
    spec: { a: { b: { c: 'x', z: 'lost' } } },
    outcome: 'loses',
  },
  {
    because: 'a field within a preserved value has another type',
    old: object({ a: open }),
    next: object({ a: object({ b: object({ c: text }) }) }),
    spec: { a: { b: { c: 1 } } },
    outcome: 'rejects',
  },
  {
    because: 'a required field is missing within a preserved value',
    old: object({ a: open }),
    next: object({ a: object({ b: object({ c: text }, { required: ['c'] }) }) }),
    spec: { a: { b: {} } },
    outcome: 'rejects',
  },
  {
    because: 'a new field takes a text, but a number was preserved there, though unknown fields are still preserved',
    old: open,
    next: { ...open, properties: { size: text } },
    spec: { size: 1 },
    outcome: 'rejects',
  },
  {
    because: 'a new field drops the fields that it does not name, though unknown fields beside it are still preserved',
    old: open,
    next: { ...open, properties: { size: object({ width: integer }) } },
    spec: { size: { width: 1, height: 2 } },
    outcome: 'loses',
  },
  {
    because: 'a new field requires another one in a preserved value',
    old: open,
    next: { ...open, properties: { size: object({ width: integer }, { required: ['width'] }) } },
    spec: { size: {} },
    outcome: 'rejects',
  },
  {
    because: 'the storage version is no longer served, and the new one lacks a field',
    old: [{ name: 'v1', spec: object({ a: text, b: text }), storage: true }],
    next: [
      { name: 'v1', spec: object({ a: text, b: text }), served: false, storage: false },
      { name: 'v2', spec: object({ a: text }), storage: true },
    ],
    spec: { a: '', b: 'lost' },
    outcome: 'loses',
  },
  {
    because: 'the new storage version lacks a field, and lacked it before',
    old: [
      { name: 'v1', spec: object({ a: text, b: text }), storage: true },
      { name: 'v2', spec: object({ a: text }), storage: false },
    ],
    next: [
      { name: 'v1', spec: object({ a: text, b: text }), storage: false },
      { name: 'v2', spec: object({ a: text }), storage: true },
    ],
    spec: { a: '', b: 'lost' },
    outcome: 'loses',
  },
  {
    because: 'a version is no longer served, and the remaining version accepts less',
    old: [{ name: 'v1', spec: object({ a: text }), storage: true }],
    next: [
      { name: 'v1', spec: object({ a: text }), served: false, storage: false },
      { name: 'v2', spec: object({ a: { ...text, maxLength: 1 } }), storage: true },
    ],
    spec: { a: 'long' },
    outcome: 'rejects',
  },
  {
    because: 'a field is no embedded object any more, and the schema does not name its apiVersion and kind',
    old: object({ a: { ...object({ size: integer }), 'x-kubernetes-embedded-resource': true } }),
    next: object({ a: object({ size: integer }) }),
    spec: { a: { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'b' }, size: 1 } },
    outcome: 'loses',
  },
  {
    because: 'a value now has to be an embedded Kubernetes object',
    old: object({ a: open }),
    next: object({ a: { ...open, 'x-kubernetes-embedded-resource': true } }),
    spec: { a: { size: 1 } },
    outcome: 'rejects',
  },
  {
    because: 'the values of a map that preserved everything now follow a schema',
    old: object({ a: open }),
    next: object({ a: map(object({ b: text })) }),
    spec: { a: { one: { b: '', c: 'lost' } } },
    outcome: 'loses',
  },
  {
    because:
      'the values of a map that preserved everything now follow a schema, though unknown fields are still preserved',
    old: object({ a: open }),
    next: object({ a: { ...open, additionalProperties: object({ b: text }) } }),
    spec: { a: { one: { b: 1 } } },
    outcome: 'rejects',
  },
  {
    because: 'a default makes two exclusive alternatives hold',
    old: object({ a: text, b: text }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    next: object({ a: text, b: { ...text, default: 'y' } }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    spec: { a: 'x' },
    outcome: 'rejects',
  },
  {
    because: 'a default breaks an expression',
    old: object({ a: text, b: text }, rule('!(has(self.a) && has(self.b))')),
    next: object({ a: text, b: { ...text, default: 'y' } }, rule('!(has(self.a) && has(self.b))')),
    spec: { a: 'x' },
    outcome: 'rejects',
  },
  {
    because: 'a default exceeds the limit of fields',
    old: object({ a: text, b: text }, { maxProperties: 1 }),
    next: object({ a: text, b: { ...text, default: 'y' } }, { maxProperties: 1 }),
    spec: { a: 'x' },
    outcome: 'rejects',
  },
  {
    because: 'the default of a new field exceeds the limit of fields',
    old: object({ a: text }, { maxProperties: 1 }),
    next: object({ a: text, b: { ...text, default: 'y' } }, { maxProperties: 1 }),
    spec: { a: 'x' },
    outcome: 'rejects',
  },
  {
    because: 'a number does not fit into an int32',
    old: x({ ...integer, format: 'int64' }),
    next: x({ ...integer, format: 'int32' }),
    spec: { x: 3_000_000_000 },
    outcome: 'rejects',
  },
  {
    because: 'a number does not fit into a float',
    old: x({ type: 'number' }),
    next: x({ type: 'number', format: 'float' }),
    spec: { x: 1e300 },
    outcome: 'rejects',
  },
  {
    because: "the object's name is too long",
    old: [{ name: 'v1', spec: x(text) }],
    next: [{ name: 'v1', spec: x(text), root: { metadata: object({ name: { ...text, maxLength: 5 } }) } }],
    spec: {},
    name: 'longer-than-five',
    outcome: 'rejects',
  },
  {
    because: "the schema of a map's values is removed, and their content is dropped",
    old: x(map(object({ b: text }))),
    next: x(map(true)),
    spec: { x: { one: { b: 'lost' } } },
    outcome: 'loses',
  },
  {
    because: 'the scale subresource requires replicas that are not negative',
    old: [{ name: 'v1', spec: object({ replicas: integer }) }],
    next: [
      {
        name: 'v1',
        spec: object({ replicas: integer }),
        subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
      },
    ],
    spec: { replicas: -1 },
    outcome: 'rejects',
  },
  {
    because: 'a text does not match the pattern',
    old: x(text),
    next: x({ ...text, pattern: '^a' }),
    spec: { x: 'b' },
    outcome: 'rejects',
  },
  {
    because: 'an expression does not hold for the object',
    old: x({ ...integer, maximum: 9 }),
    next: x({ ...integer, maximum: 9, ...rule('self > 3') }),
    spec: { x: 2 },
    outcome: 'rejects',
  },
  {
    because: 'an expression requires a change, and a write that changes nothing makes none',
    old: x({ ...integer, maximum: 9 }),
    next: x({ ...integer, maximum: 9, ...rule('self > oldSelf') }),
    spec: { x: 2 },
    outcome: 'rejects',
  },
  {
    because: 'an item of a set is repeated',
    old: x(list(text)),
    next: x(list(text, { 'x-kubernetes-list-type': 'set' })),
    spec: { x: ['a', 'a'] },
    outcome: 'rejects',
  },
];

/** The change is harmless; earlier versions of this check refused these cases. */
const UNHURT: readonly Case[] = [
  {
    because: 'the text matches the pattern',
    old: x(text),
    next: x({ ...text, pattern: '^[a-z]+$' }),
    spec: { x: 'abc' },
    outcome: 'unhurt',
  },
  {
    because: 'a text that is written back unchanged has not changed',
    old: x(text),
    next: x({ ...text, ...rule('self == oldSelf') }),
    spec: { x: 'abc' },
    outcome: 'unhurt',
  },
  {
    because: 'the expression holds for the object',
    old: x(object({ a: integer, b: integer })),
    next: x(object({ a: integer, b: integer }, rule('!has(self.a) || !has(self.b) || self.a < self.b'))),
    spec: { x: { a: 1, b: 2 } },
    outcome: 'unhurt',
  },
  {
    because: 'the value has the format',
    old: x(text),
    next: x({ ...text, format: 'ipv4' }),
    spec: { x: '10.0.0.1' },
    outcome: 'unhurt',
  },
  {
    because: 'exactly one of the alternatives matches',
    old: object({ a: text, b: text }),
    next: object({ a: text, b: text }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    spec: { a: 'x' },
    outcome: 'unhurt',
  },
  {
    because: 'the new schema names exactly the preserved fields',
    old: object({ a: open }),
    next: object({ a: object({ b: object({ c: text }) }) }),
    spec: { a: { b: { c: 'x' } } },
    outcome: 'unhurt',
  },
  {
    because: 'the items of the set are unique',
    old: x(list(text)),
    next: x(list(text, { 'x-kubernetes-list-type': 'set' })),
    spec: { x: ['a', 'b'] },
    outcome: 'unhurt',
  },
  {
    because: 'no object has the field that differs between two served versions',
    old: [{ name: 'v1', spec: object({ a: text, b: text }), storage: true }],
    next: [
      { name: 'v1', spec: object({ a: text, b: text }), storage: true },
      { name: 'v2', spec: object({ a: text }), storage: false },
    ],
    spec: { a: 'x' },
    outcome: 'unhurt',
  },
];

export const CASES: readonly Case[] = [...HURT, ...UNHURT];
