import type { Fields } from '../../api/untyped.ts';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { compareCrds, isDangerous } from './compare.ts';
import { comparisonsOf } from './comparisons.ts';
import { harmsOf } from './hurt.ts';
import { readCrd } from './schema.ts';

const crd = (x: Fields, spec: Fields = {}): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { x }, ...spec } } },
        },
      },
    ],
  },
});
const widget = (spec: unknown): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'ops' },
  spec,
});

/** Whether the change hurts the object; as in guard.ts, only if the schemas have a dangerous difference. */
function isHurt([old, next]: readonly [KubeObject, KubeObject], object: KubeObject): boolean {
  expect(compareCrds(old, next).findings.filter(isDangerous)).not.toEqual([]);
  return comparisonsOf(readCrd(old), readCrd(next)).some((comparison) => harmsOf(comparison, object).length > 0);
}

const text = { type: 'string' };
const integer = { type: 'integer' };
const list = (items: Fields): Fields => ({ type: 'array', items });
const map = (additionalProperties: unknown): Fields => ({ type: 'object', additionalProperties });
const object = (properties: Fields, fields: Fields = {}): Fields => ({ type: 'object', properties, ...fields });

describe('a change hurts an object only if the object has the removed or rejected value', () => {
  const cases: readonly { old: Fields; next: Fields; x: unknown; hurt: boolean; because: string }[] = [
    { old: text, next: { ...text, enum: ['a'] }, x: 'b', hurt: true, because: 'b is no longer allowed' },
    { old: text, next: { ...text, enum: ['a'] }, x: 'a', hurt: false, because: 'a is still allowed' },
    { old: text, next: { ...text, enum: ['a'] }, x: undefined, hurt: false, because: 'it has no value' },
    { old: text, next: integer, x: 'b', hurt: true, because: 'a text is no integer' },
    { old: { type: 'number' }, next: integer, x: 2, hurt: false, because: 'this number is an integer' },
    { old: { type: 'number' }, next: integer, x: 2.5, hurt: true, because: 'this number is no integer' },
    {
      old: { type: 'number' },
      next: integer,
      x: 9007199254740993n,
      hurt: false,
      because: 'a large integer is an integer',
    },
    { old: integer, next: { ...integer, minimum: 3 }, x: 2, hurt: true, because: 'two is below three' },
    { old: integer, next: { ...integer, minimum: 3 }, x: 3, hurt: false, because: 'three is not below three' },
    {
      old: integer,
      next: { ...integer, minimum: 3, exclusiveMinimum: true },
      x: 3,
      hurt: true,
      because: 'the bound itself is excluded',
    },
    { old: integer, next: { ...integer, maximum: 3 }, x: 4, hurt: true, because: 'four is above three' },
    { old: text, next: { ...text, maxLength: 2 }, x: 'abc', hurt: true, because: 'it is too long' },
    { old: text, next: { ...text, maxLength: 2 }, x: '🙂🙂', hurt: false, because: 'characters count, not units' },
    { old: text, next: { ...text, minLength: 2 }, x: 'a', hurt: true, because: 'it is too short' },
    {
      old: list(text),
      next: { ...list(text), maxItems: 1 },
      x: ['a', 'b'],
      hurt: true,
      because: 'the list has one item too many',
    },
    {
      old: list(text),
      next: { ...list(text), minItems: 1 },
      x: [],
      hurt: true,
      because: 'the list has one item too few',
    },
    {
      old: map(text),
      next: { ...map(text), maxProperties: 1 },
      x: { a: '' },
      hurt: false,
      because: 'one item is allowed',
    },
    { old: map(text), next: { ...map(text), minProperties: 1 }, x: {}, hurt: true, because: 'one key is needed' },
    { old: text, next: { ...text, pattern: '^a' }, x: 'a', hurt: false, because: 'it matches' },
    { old: text, next: { ...text, pattern: '^a' }, x: 'b', hurt: true, because: 'it does not match' },
    { old: { ...text, nullable: true }, next: text, x: null, hurt: true, because: 'null is refused' },
    { old: { ...text, nullable: true }, next: text, x: 'a', hurt: false, because: 'the value is not null' },
    { old: object({ y: text }), next: object({}), x: { y: '' }, hurt: true, because: 'the field would be dropped' },
    { old: object({ y: text }), next: object({}), x: {}, hurt: false, because: 'it does not have the field' },
    {
      old: object({ 'a.b': text }),
      next: object({}),
      x: { 'a.b': '' },
      hurt: true,
      because: 'a name may have dots of its own',
    },
    {
      old: list(object({ y: text })),
      next: list(object({})),
      x: [{}, { y: '' }],
      hurt: true,
      because: 'one item of the list has it',
    },
    {
      old: map(object({ y: text })),
      next: map(object({})),
      x: { one: { y: '' } },
      hurt: true,
      because: 'a value of the map has it',
    },
    {
      old: map(text),
      next: object({ a: text }),
      x: { b: '' },
      hurt: true,
      because: 'the schema no longer names the key',
    },
    { old: map(text), next: object({ a: text }), x: { a: '' }, hurt: false, because: 'the remaining keys are named' },
    {
      old: list(text),
      next: { ...text, format: 'mac' },
      x: [],
      hurt: true,
      because: 'a list is no text of any format',
    },
    {
      old: object({ a: { ...text, default: 'b' } }),
      next: object({ a: text }, { required: ['a'] }),
      x: { a: 'b' },
      hurt: true,
      because: 'a default may never have been stored',
    },
    {
      old: object({ a: text }, { 'x-kubernetes-preserve-unknown-fields': true }),
      next: object({ a: text }),
      x: { a: '', b: 1 },
      hurt: true,
      because: 'b was preserved and is dropped now',
    },
    {
      old: object({ a: text }),
      next: object({ a: text }, { required: ['a'] }),
      x: {},
      hurt: true,
      because: 'the required field is absent',
    },
    {
      old: object({ a: text }),
      next: object({ a: text }, { required: ['a'] }),
      x: { a: '' },
      hurt: false,
      because: 'the required field is present',
    },
  ];

  test.each(cases)('$old -> $next, $x: $hurt, because $because', ({ old, next, x, hurt }) => {
    expect(isHurt([crd(old), crd(next)], widget(x === undefined ? {} : { x }))).toBe(hurt);
  });
});
