import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatJson, parseJson } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Fields } from '../../api/untyped.ts';
import { compareCrds } from './compare.ts';
import { findEqualParts } from './equal-parts.ts';
import { NODE_RULES, VERSION_RULES } from './rules.ts';
import { flattenSchema, readCrd, type CrdVersion, type Schema } from './schema.ts';

describe('parts of two values are equal', () => {
  test.each<{ one: Fields; other: Fields; want: boolean; because: string }>([
    { one: { a: [1, 'x', null] }, other: { a: [1, 'x', null] }, want: true, because: 'all fields are' },
    { one: { a: 9007199254740993n }, other: { a: 9007199254740993n }, want: true, because: 'long integers are exact' },
    { one: { a: 1 }, other: { a: 2 }, want: false, because: 'a field differs' },
    { one: { a: 1 }, other: { a: 1, b: 2 }, want: false, because: 'the other has one more' },
    { one: { a: 1, b: 2 }, other: { a: 1 }, want: false, because: 'the other has one less' },
    { one: { a: undefined }, other: { b: undefined }, want: false, because: 'names differ' },
    { one: { a: [1] }, other: { a: [1, 2] }, want: false, because: 'a list is longer' },
    { one: { a: [1, 2] }, other: { a: [2, 1] }, want: false, because: 'a list has an order' },
    { one: { a: {} }, other: { a: [] }, want: false, because: 'an object is no list' },
    { one: { a: null }, other: { a: {} }, want: false, because: 'null is no object' },
    { one: { toString: 1 }, other: { a: 1 }, want: false, because: 'an inherited field does not count' },
  ])('$want, because $because', ({ one, other, want }) => {
    expect(findEqualParts(one, other)(one, other)).toBe(want);
  });

  test('within others that differ, also after a difference', () => {
    const [one, other] = [
      { a: 1, b: { c: 1 } },
      { a: 2, b: { c: 1 } },
    ];
    const areEqual = findEqualParts(one, other);
    expect(areEqual(one, other)).toBe(false);
    expect(areEqual(one.b, other.b)).toBe(true);
  });

  test('only with the part that they were compared with: one object can be at several places', () => {
    const shared = { c: 1 };
    const other = { a: { c: 1 }, b: { c: 2 } };
    const areEqual = findEqualParts({ a: shared, b: shared }, other);
    expect(areEqual(shared, other.a)).toBe(true);
    expect(areEqual(shared, other.b)).toBe(false);
  });

  test('unless they are nested too deep to be compared without much stack', () => {
    const nest = (depth: number): Fields => {
      let value: Fields = {};
      for (let at = 0; at < depth; at++) value = { a: value };
      return value;
    };
    const [one, other] = [nest(20_000), nest(20_000)];
    expect(findEqualParts(one, other)(one, other)).toBe(false);
  });
});

const name = fc.constantFrom('a', 'b', 'c', '__proto__');
const leaf = fc.constantFrom<Schema>({ type: 'string' }, { type: 'integer' }, {}, { type: 'object' });
const { node } = fc.letrec<{ node: Schema; tree: Schema }>((tie) => ({
  node: fc.oneof({ maxDepth: 4 }, leaf, tie('tree')),
  tree: fc.record(
    {
      type: fc.constantFrom('object', 'array', 'string'),
      description: fc.constantFrom('x', 'y'),
      properties: fc.dictionary(name, tie('node'), { maxKeys: 3 }),
      items: tie('node'),
      required: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
      enum: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
      maxLength: fc.integer({ min: 1, max: 3 }),
      default: fc.jsonValue(),
      additionalProperties: fc.oneof(fc.boolean(), tie('node')),
      'x-kubernetes-preserve-unknown-fields': fc.boolean(),
      anyOf: fc.array(tie('node'), { maxLength: 2 }),
    },
    { requiredKeys: [] },
  ),
}));

const crdOf = (schema: Schema): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: { versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }] },
});
const inSpec = (spec: Schema): Schema => ({ type: 'object', properties: { spec } });

/** The schema with other descriptions of all its nodes, and nothing else. */
function described(schema: Schema): Schema {
  return parseJson(formatJson(schema).replaceAll(/"description":"[xy]"/g, '"description":"z"')) as Schema;
}

/** The findings of all rules on all nodes: none is left out. */
function findingsOnAll(old: Schema, next: Schema): string[] {
  const versionOf = (schema: Schema): CrdVersion => readCrd(crdOf(schema)).versions[0] as CrdVersion;
  const flat = { old: flattenSchema(old), next: flattenSchema(next) };
  const whole = VERSION_RULES.flatMap((rule) =>
    rule
      .compare({ old: versionOf(old), next: versionOf(next) }, flat)
      .map(({ path, effect, message }) => [rule.name, effect, path, message].join(' ')),
  );
  const nodes = [...flat.old].flatMap(([path, before]) => {
    const after = flat.next.get(path);
    const pair = after && { old: before, next: after, isRoot: path === '^' };
    return NODE_RULES.flatMap((rule) =>
      (pair === undefined ? [] : rule.compare(pair)).map(({ effect, message }) =>
        [rule.name, effect, path, message].join(' '),
      ),
    );
  });
  return [...whole, ...nodes].sort();
}

test('the nodes below an equal one at the same place are left out, and no others', () => {
  const inner = { type: 'object', properties: { items: { type: 'string' } } };
  const schemaOf = (type: string): Schema => ({
    type: 'object',
    properties: { same: inner, other: { type: 'array', items: { type } } },
    additionalProperties: { type: 'array', items: inner },
  });
  const [old, next] = [schemaOf('string'), structuredClone(schemaOf('integer'))];
  const nodes = flattenSchema(old, { root: next, isEqual: findEqualParts(old, next) });
  expect([...nodes.keys()]).toEqual(['^', '^.same', '^.other', '^.other.items', '^.additionalProperties']);
});

describe('for any schema', () => {
  test('no rule finds a change in equal nodes, so that they may be left out', () => {
    fc.assert(
      fc.property(node, (schema) => {
        expect(findingsOnAll(schema, structuredClone(schema))).toEqual([]);
      }),
    );
  });

  test('the same changes are found as if no node were left out', () => {
    const change = fc.record({ base: node, other: node, place: name });
    fc.assert(
      fc.property(change, ({ base, other, place }) => {
        const properties = { ...(base['properties'] as object), [place]: other };
        const one = Object.entries(other).map(([keyword, value]) => ({ ...structuredClone(base), [keyword]: value }));
        for (const next of [{ ...structuredClone(base), properties }, described(base), other, ...one]) {
          const found = compareCrds(crdOf(inSpec(base)), crdOf(inSpec(next))).findings;
          const told = found.map(({ rule, effect, path, message }) => [rule, effect, path, message].join(' '));
          expect(told.sort()).toEqual(findingsOnAll(inSpec(base), inSpec(next)));
        }
      }),
    );
  });
});
