import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../../e2e/lib/sample.ts';
import { toStructuralSchema, type StructuralSchema } from '../schema.ts';
import { KINDS } from '../../kinds.ts';
import { leavesOf, valuesOf } from './from-schema.ts';

const NOTHING = { wordsFor: () => [] };

describe.each(KINDS)('values of the schema of $kind', ({ schema }) => {
  const structural = toStructuralSchema(schema);

  test('are admitted by the schema, except by its rules', () => {
    fc.assert(
      fc.property(valuesOf(structural, NOTHING), (value) => {
        expect(problemsIn(structural, value)).toEqual([]);
      }),
      { numRuns: runsOf(200) },
    );
  });

  test('have the field that is asked for, whichever that is', () => {
    const missing = leavesOf(structural).filter((must) => {
      const value = fc.sample(valuesOf(structural, { ...NOTHING, must }), { numRuns: runsOf(1) })[0];
      return !has(value, must.replaceAll('[]', '.[]').split('.'));
    });
    expect(missing).toEqual([]);
  });
});

function has(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return value !== undefined;
  if (name === '[]') return has((value as readonly unknown[])[0], rest);
  return typeof value === 'object' && value !== null && has((value as Record<string, unknown>)[name], rest);
}

/** What the API server would refuse, as far as types and bounds go. */
function problemsIn(schema: StructuralSchema, value: unknown, path = ''): readonly string[] {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return [];
  if (Array.isArray(value)) {
    const isBounded =
      value.length <= Number(schema['maxItems'] ?? Infinity) && value.length >= Number(schema['minItems'] ?? 0);
    const below = value.flatMap((item, at) => problemsIn(schema.items as StructuralSchema, item, `${path}[${at}]`));
    return isBounded ? below : [`${path} has ${value.length} items`, ...below];
  }
  if (typeof value === 'string') {
    const length = Array.from(value).length;
    const isBounded = length <= Number(schema['maxLength'] ?? Infinity) && length >= Number(schema['minLength'] ?? 0);
    const fits = typeof schema['pattern'] !== 'string' || new RegExp(schema['pattern']).test(value);
    const isChoice = !Array.isArray(schema['enum']) || schema['enum'].includes(value);
    return isBounded && fits && isChoice ? [] : [`${path} is ${value.slice(0, 50)}`];
  }
  if (typeof value === 'number') {
    const isBounded = value <= Number(schema['maximum'] ?? Infinity) && value >= Number(schema['minimum'] ?? -Infinity);
    return isBounded ? [] : [`${path} is ${value}`];
  }
  if (typeof value !== 'object' || value === null) return [];
  const missing = (schema.required ?? [])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => `${path}.${name}`);
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const child = schema.properties?.[name] ?? schema.additionalProperties;
    return child === undefined ? [`${path}.${name} is unknown`] : problemsIn(child, field, `${path}.${name}`);
  });
  return [...missing, ...fields];
}
