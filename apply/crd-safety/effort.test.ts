import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import type { Fields } from '../../api/untyped.ts';
import { compareCrds, isDangerous } from './compare.ts';
import { guardCrd } from './guard.ts';

const text = { type: 'string' };

/** A CRD with a version for each of these schemas of `spec`, all of them served. */
function crdWith(specs: readonly Fields[]): KubeObject {
  const versions = specs.map((spec, index) => ({
    name: `v${index + 1}`,
    served: true,
    storage: index === 0,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
  }));
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names: { kind: 'Widget', plural: 'widgets' }, versions },
  };
}

/** Fields with names of their own, so that no other schema has an equal one. */
function fields(count: number, prefix: string, field: Fields = text): Fields {
  const names = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, field])) };
}

function many(count: number, make: (index: number) => Fields): KubeObject {
  return crdWith(Array.from({ length: count }, (_, index) => make(index)));
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const LONG = 'x'.repeat(1_000_000);
const refused: unknown = expect.objectContaining({ reason: 'ObjectInvalid', retry: 'never' });

describe('the work of a comparison is bounded', () => {
  test.each([
    {
      because: 'it has hundreds of versions',
      old: many(2, () => fields(1, 'a')),
      next: many(200, () => fields(1, 'a')),
    },
    {
      because: 'the CRD in the cluster has hundreds of versions',
      old: many(200, () => fields(1, 'a')),
      next: many(2, () => fields(1, 'a')),
    },
    {
      because: 'many versions have many different fields',
      old: many(20, (index) => fields(300, `a${index}-`)),
      next: many(20, (index) => fields(300, `b${index}-`)),
    },
    {
      because: 'many versions have long lists of values',
      old: many(30, (index) => fields(1, 'a', { ...text, enum: [`${index}${LONG.slice(0, 400_000)}`] })),
      next: many(30, (index) => fields(1, 'a', { ...text, enum: [`${index}b${LONG.slice(0, 400_000)}`] })),
    },
    {
      because: 'the path of each field has a long name',
      old: crdWith([{ type: 'object', properties: { [LONG]: fields(100, 'a') } }]),
      next: crdWith([{ type: 'object', properties: { [LONG]: fields(100, 'b') } }]),
    },
    {
      because: 'a name has hundreds of thousands of dots',
      old: crdWith([{ type: 'object', properties: { ['a.'.repeat(400_000)]: text } }]),
      next: crdWith([{ type: 'object', properties: { ['a.'.repeat(400_000)]: { ...text, default: 'b' } } }]),
    },
    {
      because: 'a default is deeper than a stack',
      old: crdWith([{ type: 'object', default: nested(9_900) }]),
      next: crdWith([{ type: 'object', default: {} }]),
    },
  ])('a change of a CRD is refused if $because', ({ old, next }) => {
    expect(() => compareCrds(old, next)).toThrow(refused);
  });

  test('a CRD with 32 versions is compared', () => {
    const [old, next] = ['a', 'b'].map((name) => many(32, () => fields(3, name))) as [KubeObject, KubeObject];
    expect(compareCrds(old, next).safe).toBe(false);
  });

  test('a large schema may change in each of its fields', () => {
    const [old, next] = [text, { type: 'integer' }].map((field) => crdWith([fields(20_000, 'a', field)]));
    expect(compareCrds(old as KubeObject, next as KubeObject).safe).toBe(false);
  });
});

describe('the work grows no faster than the schemas', { timeout: 60_000 }, () => {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const large = fields(10_000, 'a');
  const keys = Array.from({ length: 10_000 }, (_, index) => `key${index}`);
  const items = (field: Fields): Fields => fields(10_000, 'a', field);

  test.each([
    {
      because: 'many fields get a schema',
      old: open,
      next: { ...open, ...fields(40_000, 'a') },
      rule: 'unknownFields',
    },
    {
      because: 'many keys of a map with a large schema get a name',
      old: { type: 'object', additionalProperties: large },
      next: { ...fields(10_000, 'a'), additionalProperties: large },
      rule: 'mapValues',
    },
    {
      because: 'many fields of a list with many keys get a default',
      old: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys, items: items(text) },
      next: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': keys,
        items: items({ ...text, default: '' }),
      },
      rule: 'default',
    },
  ])('a change is compared although $because', ({ old, next, rule }) => {
    expect(compareCrds(crdWith([old]), crdWith([next])).findings.map((finding) => finding.rule)).toContain(rule);
  });
});

describe('the number of findings is bounded', () => {
  const old = crdWith([fields(20_000, 'a')]);

  test('dangerous findings beyond the bound make one dangerous finding, which no object escapes', () => {
    const { findings, safe } = compareCrds(old, crdWith([fields(1, 'b')]));
    expect(findings).toHaveLength(10_001);
    expect(safe).toBe(false);
    expect(findings.at(-1)).toMatchObject({ effect: 'rejects', waived: false });
    expect(findings.at(-1)).not.toHaveProperty('version');
  });

  test('harmless findings beyond the bound stay harmless', () => {
    const { findings, safe } = compareCrds(old, crdWith([fields(20_000, 'a', { ...text, description: 'new' })]));
    expect(findings).toHaveLength(10_001);
    expect(safe).toBe(true);
  });

  test('a dangerous finding that is not waived comes before waived ones', () => {
    const shrunk = { ...fields(1, 'b'), required: ['b0'] };
    const { findings } = compareCrds(old, crdWith([shrunk]), [
      { crd: 'widgets.example.com', rule: 'existingFieldRemoval' },
    ]);
    expect(findings[0]).toMatchObject({ rule: 'required', waived: false });
    expect(findings.slice(1).some(isDangerous)).toBe(false);
  });
});

test('an object with more levels than a stack takes counts as hurt', async () => {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const [old, next] = [open, { ...open, required: ['a'] }].map((spec) => crdWith([spec]));
  const deep = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { b: nested(9_900) } };
  const listPage = async (): Promise<{ items: KubeObject[] }> => ({ items: [deep] });
  const { safe } = await guardCrd(old as KubeObject, next as KubeObject, { listPage, signal: NEVER });
  expect(safe).toBe(false);
});
