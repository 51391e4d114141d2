import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textWithout } from './unread-fields.ts';

const FIELDS = ['managedFields', 'schema'];

function without(value: unknown): unknown {
  return JSON.parse(textWithout(Buffer.from(JSON.stringify(value)), FIELDS));
}

describe('fields that are not read', () => {
  test.each([
    { value: { a: 1, b: ['ä', '😀'] }, left: { a: 1, b: ['ä', '😀'] }, because: 'there is none' },
    {
      value: { managedFields: [{ a: ']' }], b: 1 },
      left: { managedFields: null, b: 1 },
      because: 'a string has a bracket',
    },
    {
      value: [{ schema: { schema: {} } }, { schema: [] }],
      left: [{ schema: null }, { schema: null }],
      because: 'it is nested',
    },
    {
      value: { schema: { a: '\\"}' }, b: 'ä' },
      left: { schema: null, b: 'ä' },
      because: 'a string has an escaped quote',
    },
    { value: { schema: 'text', x: 7 }, left: { schema: 'text', x: 7 }, because: 'it is neither a list nor an object' },
    { value: { a: '"schema":{"b":1}' }, left: { a: '"schema":{"b":1}' }, because: 'a string only looks like one' },
    { value: { schemas: {}, xschema: [] }, left: { schemas: {}, xschema: [] }, because: 'the name is another one' },
  ])('are null, and nothing else is changed: $because', ({ value, left }) => {
    expect(without(value)).toEqual(left);
  });

  test('any JSON is the same but for them', () => {
    const name = fc.constantFrom(...FIELDS, 'a', '"schema":{', 'a"schema');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.integer(),
        fc.array(tie('value')),
        fc.dictionary(name, tie('value')),
      ),
    }));
    fc.assert(
      fc.property(value, (json) => {
        expect(without(json)).toEqual(nulled(json));
      }),
    );
  });

  test('JSON that is cut off stays as it is', () => {
    for (const text of ['{"schema":{"a":1', '{"schema":{"a', '{"schema":{"a\\'])
      expect(textWithout(Buffer.from(text), FIELDS)).toBe(text);
  });

  test('an object with many of them costs no more than its bytes', () => {
    const many = Buffer.from(`[${'{"schema":{}},'.repeat(100_000)}1]`);
    const start = process.threadCpuUsage();
    expect(textWithout(many, FIELDS)).toHaveLength(many.length + 200_000);
    expect(process.threadCpuUsage(start).user / 1e6).toBeLessThan(5);
  });
});

/** What is expected, from the objects. */
function nulled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nulled);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      const isDropped = FIELDS.includes(key) && child !== null && typeof child === 'object';
      return [key, isDropped ? null : nulled(child)];
    }),
  );
}
