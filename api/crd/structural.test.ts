import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { duration, integer, intOrString, list, listByKey, preserveUnknown, stringMap, text } from '../fields.ts';
import { KINDS } from '../kinds.ts';
import type { CustomKind } from '../kind.ts';
import { buildCrd } from './definition.ts';
import { toStructuralSchema, type StructuralSchema } from './schema.ts';
import { checkSchema, children } from './structural.ts';

describe('the schema of every kind', () => {
  test.each(KINDS)('$kind is structural and bounded everywhere', (kind: CustomKind) => {
    expect(checkSchema(toStructuralSchema(kind.schema))).toEqual([]);
  });

  test.each(KINDS)('every field of $kind is explained', (kind: CustomKind) => {
    expect(unexplained(toStructuralSchema(kind.schema), '')).toEqual([]);
  });

  test.each(KINDS)('$kind has a status of its own, and columns that point at fields that exist', (kind: CustomKind) => {
    const { versions } = buildCrd(kind)['spec'] as { versions: readonly Record<string, unknown>[] };
    expect(versions.map((version) => version['subresources'])).toEqual([{ status: {} }]);
    const root = toStructuralSchema(kind.schema);
    const missing = kind.columns.filter(({ jsonPath }) => !leadsToField(root, jsonPath));
    expect(missing).toEqual([]);
  });

  test('no kind has a short name: no project can keep others from choosing the same, and the full name is unambiguous', () => {
    for (const kind of KINDS) {
      const { names } = buildCrd(kind)['spec'] as { names: Record<string, unknown> };
      expect(names).toMatchObject({ categories: ['slipway'] });
      expect(names).not.toHaveProperty('shortNames');
    }
  });
});

describe('conversion from zod', () => {
  const rows: readonly { because: string; schema: z.ZodType; becomes: unknown }[] = [
    {
      because: 'what has a default is not required, and unknown fields are for the API server to prune',
      schema: z.object({ a: z.boolean().default(true), b: z.boolean() }),
      becomes: {
        type: 'object',
        required: ['b'],
        properties: { a: { type: 'boolean', default: true }, b: { type: 'boolean' } },
      },
    },
    {
      because: 'the default of an object is filled in from those of its fields',
      schema: z.object({ a: z.object({ b: z.boolean().default(true) }).prefault({}) }),
      becomes: {
        type: 'object',
        properties: { a: { type: 'object', default: {}, properties: { b: { type: 'boolean', default: true } } } },
      },
    },
    {
      because: 'a map says what its values are, not what its names are',
      schema: stringMap(2, 3),
      becomes: { type: 'object', maxProperties: 2, additionalProperties: { type: 'string', maxLength: 3 } },
    },
    {
      because: 'a quantity is no union',
      schema: intOrString(),
      becomes: { 'x-kubernetes-int-or-string': true, maxLength: 64 },
    },
    {
      because: 'what others define is kept as it is',
      schema: preserveUnknown(),
      becomes: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
    {
      because: 'the same part used twice is written twice',
      schema: z.object({ a: integer(0, 1), b: integer(0, 1) }),
      becomes: {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: { type: 'integer', minimum: 0, maximum: 1 }, b: { type: 'integer', minimum: 0, maximum: 1 } },
      },
    },
    {
      because: 'a field may be called like a word of the schema',
      schema: z.object({ properties: z.boolean(), $schema: z.boolean() }),
      becomes: {
        type: 'object',
        required: ['properties', '$schema'],
        properties: { properties: { type: 'boolean' }, $schema: { type: 'boolean' } },
      },
    },
  ];

  test.each(rows)('$because', ({ schema, becomes }) => {
    expect(toStructuralSchema(schema)).toEqual(becomes);
  });
});

describe('the check of a schema finds', () => {
  const rows: readonly { because: string; schema: StructuralSchema; finds: string }[] = [
    { because: 'a value without a type', schema: {}, finds: 'has no type' },
    { because: 'a reference', schema: { type: 'object', $ref: '#/x' }, finds: 'may not use $ref' },
    { because: 'a union', schema: { type: 'boolean', oneOf: [] }, finds: 'may not use oneOf' },
    { because: 'an object that takes nothing', schema: { type: 'object' }, finds: 'is an object without fields' },
    {
      because: 'an unbounded list',
      schema: toStructuralSchema(z.array(z.boolean())),
      finds: 'is a list without maxItems',
    },
    {
      because: 'an unbounded text',
      schema: toStructuralSchema(z.string()),
      finds: 'is a string without maxLength or enum',
    },
    {
      because: 'a number without bounds',
      schema: { type: 'integer' },
      finds: 'is an integer without minimum and maximum',
    },
    {
      because: 'an unbounded map',
      schema: toStructuralSchema(z.record(z.string(), text(1))),
      finds: 'is a map without maxProperties',
    },
    {
      because: 'a key that may be absent',
      schema: toStructuralSchema(listByKey(z.object({ a: text(1).optional() }), 1, ['a'])),
      finds: 'is a list by keys that its items do not require',
    },
    {
      because: 'fields and other values side by side',
      schema: { type: 'object', properties: {}, additionalProperties: { type: 'boolean' } },
      finds: 'has both properties and additionalProperties',
    },
    {
      because: 'a required field that there is not',
      schema: { type: 'object', properties: {}, required: ['a'] },
      finds: 'requires a field that it does not have',
    },
  ];

  test.each(rows)('$because', ({ schema, finds }) => {
    expect(checkSchema(schema).map(({ problem }) => problem)).toContain(finds);
  });

  test('a fault deep inside, with the way to it', () => {
    const schema = toStructuralSchema(z.object({ a: list(z.object({ b: z.string() }), 1) }));
    expect(checkSchema(schema)).toEqual([{ path: 'a.[].b', problem: 'is a string without maxLength or enum' }]);
  });

  test('nothing in what the building blocks make', () => {
    const schema = z.object({ a: duration({ minSeconds: 1, maxSeconds: 2 }), b: list(intOrString(), 1) });
    expect(checkSchema(toStructuralSchema(schema))).toEqual([]);
  });
});

function unexplained(node: StructuralSchema, path: string): readonly string[] {
  return children(node).flatMap(([name, child]) => {
    const here = `${path}.${name}`;
    const isNamed = name !== '[]' && name !== '*';
    const missing = isNamed && (child.description ?? '') === '' ? [here] : [];
    return missing.concat(unexplained(child, here));
  });
}

function leadsToField(root: StructuralSchema, jsonPath: string): boolean {
  if (jsonPath.startsWith('.metadata.')) return true;
  const names = jsonPath
    .replaceAll(/\[\?\(@\.type=="\w+"\)\]/g, '.[]')
    .split('.')
    .slice(1);
  let node: StructuralSchema | undefined = root;
  for (const name of names) node = node && new Map(children(node)).get(name);
  return node !== undefined;
}
