import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { leaveOut } from './leave-out.ts';

/** What is expected, by the value. */
function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(emptied);
  if (value === null || typeof value !== 'object') return value;
  const isBulk = (name: string, child: unknown): boolean =>
    name === 'schema' && child !== null && typeof child === 'object' && !Array.isArray(child);
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, isBulk(name, child) ? {} : emptied(child)]),
  );
}

describe('a field that is left out of JSON', () => {
  test('every object of that name is empty then, and nothing else differs, whatever the names and texts are', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('schema', '"schema":{', '\\', '\\"schema":{', '}', '{"schema":{"a":1}}'));
    const name = fc.oneof(text, fc.constantFrom('schema', 'a"schema')).filter((one) => one !== '__proto__');
    const { value } = fc.letrec<{ value: unknown; map: object }>((tie) => ({
      map: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
      value: fc.oneof({ maxDepth: 5 }, text, fc.integer(), fc.constant(null), fc.array(tie('value'), { maxLength: 3 }), tie('map')),
    }));
    fc.assert(
      fc.property(value, (one) => {
        const plain: unknown = JSON.parse(JSON.stringify(one));
        expect(JSON.parse(leaveOut(JSON.stringify(plain), 'schema'))).toEqual(emptied(plain));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    { because: 'the field is not there', text: '{"a":{"b":1}}' },
    { because: 'its value is no object', text: '{"schema":[{"b":1}]}' },
    { because: 'a text mentions it', text: JSON.stringify({ a: '{"schema":{"b":1}}' }) },
    { because: 'the text is cut off within it', text: '{"schema":{"b":"}"' },
    { because: 'the text is cut off within a text', text: '{"schema":{"b":"' },
  ])('JSON stays as it is if $because', ({ text }) => {
    expect(leaveOut(text, 'schema')).toBe(text);
  });
});
