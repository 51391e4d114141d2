import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { duration, integer, intOrString, list, listByKey, stringMap, text } from '../fields.ts';
import { KINDS } from '../kinds.ts';
import type { CustomKind } from '../kind.ts';
import { buildCrd } from './definition.ts';
import { toStructuralSchema, type StructuralSchema } from './schema.ts';
import { checkSchema, children, isPodPart } from './structural.ts';

describe('the schema of every kind', () => {
  test.each(KINDS)('$kind is structural and bounded everywhere', (kind: CustomKind) => {
    expect(checkSchema(toStructuralSchema(kind.schema))).toEqual([]);
  });

  test.each(KINDS)('every field of $kind has a description', (kind: CustomKind) => {
    expect(unexplained(toStructuralSchema(kind.schema), '')).toEqual([]);
  });

  test('only affinity, volumes and valueFrom are parts of a Pod, which Kubernetes describes', () => {
    const parts = KINDS.flatMap(({ schema }: CustomKind) => podPartsBelow(toStructuralSchema(schema), ''));
    const names = parts.map((path) => path.replace(/^.*\.(?=\w+$)/, ''));
    expect([...new Set(names)].toSorted()).toEqual(['affinity', 'valueFrom', 'volumes']);
    expect(parts.every((path) => path.startsWith('.spec.config.'))).toBe(true);
  });

  test.each(KINDS)('$kind takes nothing of unknown depth or number', (kind: CustomKind) => {
    const unbounded = nodesOf(toStructuralSchema(kind.schema)).filter(
      (node) => node['x-kubernetes-preserve-unknown-fields'] !== undefined,
    );
    expect(unbounded).toEqual([]);
  });

  test.each(KINDS)('$kind has a status subresource, and columns that point at existing fields', (kind: CustomKind) => {
    const { versions } = buildCrd(kind)['spec'] as { versions: readonly Record<string, unknown>[] };
    expect(versions.map((version) => version['subresources'])).toEqual([{ status: {} }]);
    const root = toStructuralSchema(kind.schema);
    const missing = kind.columns.filter(({ jsonPath }) => !leadsToField(root, jsonPath));
    expect(missing).toEqual([]);
  });

  test.each(KINDS)('the CRD of $kind is kept by programs that delete what is no longer in Git', (kind: CustomKind) => {
    expect(buildCrd(kind).metadata.annotations).toEqual({
      'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
      'kustomize.toolkit.fluxcd.io/prune': 'disabled',
    });
  });

  test('no kind has a short name: other projects could choose the same, and the full name is unambiguous', () => {
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
      because: 'fields with a default are not required, and the API server prunes unknown fields',
      schema: z.object({ a: z.boolean().default(true), b: z.boolean() }),
      becomes: {
        type: 'object',
        required: ['b'],
        properties: { a: { type: 'boolean', default: true }, b: { type: 'boolean' } },
      },
    },
    {
      because: 'the default of an object is built from those of its fields',
      schema: z.object({ a: z.object({ b: z.boolean().default(true) }).prefault({}) }),
      becomes: {
        type: 'object',
        properties: { a: { type: 'object', default: {}, properties: { b: { type: 'boolean', default: true } } } },
      },
    },
    {
      because: 'a map describes its values, not its names',
      schema: stringMap(2, 3),
      becomes: { type: 'object', maxProperties: 2, additionalProperties: { type: 'string', maxLength: 3 } },
    },
    {
      because: 'a quantity becomes int-or-string, not a union',
      schema: intOrString(),
      becomes: { 'x-kubernetes-int-or-string': true, maxLength: 64 },
    },
    {
      because: 'a schema that is used twice is written twice',
      schema: z.object({ a: integer(0, 1), b: integer(0, 1) }),
      becomes: {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: { type: 'integer', minimum: 0, maximum: 1 }, b: { type: 'integer', minimum: 0, maximum: 1 } },
      },
    },
    {
      because: 'a field may have the name of a schema keyword',
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

describe('the check of a schema finds faults', () => {
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
      because: 'a key field that may be absent',
      schema: toStructuralSchema(listByKey(z.object({ a: text(1).optional() }), 1, ['a'])),
      finds: 'is a list by keys that its items do not require',
    },
    {
      because: 'fields and map values side by side',
      schema: { type: 'object', properties: {}, additionalProperties: { type: 'boolean' } },
      finds: 'has both properties and additionalProperties',
    },
    {
      because: 'a required field that does not exist',
      schema: { type: 'object', properties: {}, required: ['a'] },
      finds: 'requires a field that it does not have',
    },
  ];

  test.each(rows)('$because', ({ schema, finds }) => {
    expect(checkSchema(schema).map(({ problem }) => problem)).toContain(finds);
  });

  test('checkSchema reports a nested fault with its path', () => {
    const schema = toStructuralSchema(z.object({ a: list(z.object({ b: z.string() }), 1) }));
    expect(checkSchema(schema)).toEqual([{ path: 'a.[].b', problem: 'is a string without maxLength or enum' }]);
  });

  test('checkSchema finds no fault in the building blocks', () => {
    const schema = z.object({ a: duration({ minSeconds: 1, maxSeconds: 2 }), b: list(intOrString(), 1) });
    expect(checkSchema(toStructuralSchema(schema))).toEqual([]);
  });
});

function nodesOf(node: StructuralSchema): readonly StructuralSchema[] {
  return [node, ...children(node).flatMap(([, child]) => nodesOf(child))];
}

function podPartsBelow(node: StructuralSchema, path: string): readonly string[] {
  if (path !== '' && isPodPart(node)) return [path];
  return children(node).flatMap(([name, child]) => podPartsBelow(child, `${path}.${name}`));
}

function unexplained(node: StructuralSchema, path: string): readonly string[] {
  return children(node).flatMap(([name, child]) => {
    const here = `${path}.${name}`;
    const isNamed = name !== '[]' && name !== '*';
    const missing = isNamed && (child.description ?? '') === '' ? [here] : [];
    return isPodPart(child) ? missing : missing.concat(unexplained(child, here));
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
