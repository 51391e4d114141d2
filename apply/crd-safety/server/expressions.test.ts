import type { Fields } from '../../../api/untyped.ts';
import { describe, expect, test } from 'vitest';
import { checkExpressions } from './expressions.ts';

const text = { type: 'string' };
const object = (properties: Fields, fields: Fields = {}): Fields => ({ type: 'object', properties, ...fields });

/** The faults of a value of `spec.x` under a schema with one expression. */
function faultsOf(schema: Fields, rule: Fields, x: unknown): readonly string[] {
  const found: string[] = [];
  const spec = object({ x: { ...schema, 'x-kubernetes-validations': [rule] } });
  const made = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { x } };
  checkExpressions(object({ spec }), made, ({ message }) => found.push(message));
  return found;
}

describe('a rule holds', () => {
  const cases: readonly { schema: Fields; rule: string; x: unknown; because: string }[] = [
    {
      schema: text,
      rule: 'self == oldSelf',
      x: 'a',
      because: 'an object that is written back unchanged has not changed',
    },
    { schema: { type: 'integer' }, rule: 'self / 2 == 1', x: 3, because: 'integer division drops the fraction' },
    {
      schema: { type: 'number' },
      rule: 'self / 2.0 == 1.5',
      x: 3,
      because: 'a float without a fraction is still no integer',
    },
    {
      schema: { 'x-kubernetes-int-or-string': true },
      rule: 'type(self) == int',
      x: 3,
      because: 'the schema says that it is an integer',
    },
    {
      schema: object({ a: text }),
      rule: '!has(self.a)',
      x: { a: null },
      because: 'a null field counts as absent',
    },
    {
      schema: object({ 'a-b': text }),
      rule: "self.a__dash__b == 'c'",
      x: { 'a-b': 'c' },
      because: 'field names are escaped',
    },
    {
      schema: object({ namespace: text }),
      rule: "self.__namespace__ == 'c'",
      x: { namespace: 'c' },
      because: 'reserved words of CEL are escaped',
    },
    {
      schema: { type: 'object', additionalProperties: text },
      rule: "self['a-b'] == 'c' && self.all(key, key.size() == 3)",
      x: { 'a-b': 'c' },
      because: 'map keys are not escaped',
    },
    {
      schema: { ...text, format: 'date-time' },
      rule: "self < timestamp('2021-01-01T00:00:00Z')",
      x: '2020-02-29T00:00:00Z',
      because: 'the format makes it a time',
    },
    {
      schema: { ...text, format: 'duration' },
      rule: "self > duration('1h')",
      x: '90m',
      because: 'the format makes it a duration',
    },
    {
      schema: text,
      rule: "self.lowerAscii() == 'ab' && self.replace('A', '') == 'b'",
      x: 'Ab',
      because: 'texts have the string functions of Kubernetes',
    },
    { schema: text, rule: 'unknown(self)', x: null, because: 'rules are not evaluated on null' },
  ];
  test.each(cases)('$rule holds, because $because', ({ schema, rule, x }) => {
    expect(faultsOf(schema, { rule }, x)).toEqual([]);
  });
});

describe('a rule fails', () => {
  const cases: readonly { schema: Fields; rule: Fields; x: unknown; said: RegExp; because: string }[] = [
    { schema: text, rule: { rule: "self == 'b'" }, x: 'a', said: /self == 'b' does not hold/, because: 'it is false' },
    {
      schema: text,
      rule: { rule: "self == 'b'", message: 'use b' },
      x: 'a',
      said: /^use b$/,
      because: "the author's message is the clearest",
    },
    {
      schema: object({}),
      rule: { rule: 'self.a == 1' },
      x: {},
      said: /cannot be evaluated/,
      because: 'there is no such field',
    },
    {
      schema: text,
      rule: { rule: 'isURL(self)' },
      x: 'a',
      said: /cannot be evaluated: unbound function/,
      because: 'the library lacks the function',
    },
    { schema: text, rule: { rule: 'self ==' }, x: 'a', said: /cannot be judged here/, because: 'it cannot be parsed' },
    {
      schema: text,
      rule: { rule: 'true', optionalOldSelf: true },
      x: 'a',
      said: /cannot be judged here/,
      because: 'oldSelf may be absent',
    },
    {
      schema: { type: 'array', items: { type: 'integer' } },
      rule: { rule: 'self.all(a, self.all(b, self.all(c, self.all(d, a + b + c + d < 0 || true))))' },
      x: Array.from({ length: 300 }, (_, index) => index),
      said: /costs too much to be judged here/,
      because: 'loop iterations are counted',
    },
    {
      schema: text,
      rule: { rule: `${'('.repeat(100)}true${')'.repeat(100)}` },
      x: 'a',
      said: /too long/,
      because: 'it is nested too deeply',
    },
  ];
  test.each(cases)('the fault of a rule that fails says $said, because $because', ({ schema, rule, x, said }) => {
    expect(faultsOf(schema, rule, x)).toEqual([expect.stringMatching(said)]);
  });
});

test('rules below lists, maps and allOf are evaluated, each at the path of its node', () => {
  const never = { 'x-kubernetes-validations': [{ rule: 'false' }] };
  const root = object({
    spec: object({
      list: { type: 'array', items: { ...text, ...never } },
      map: { type: 'object', additionalProperties: { ...text, ...never } },
      part: object({ a: text }, { allOf: [{ properties: { a: never } }] }),
    }),
  });
  const paths: string[] = [];
  const made = { apiVersion: 'v1', kind: 'A', metadata: {}, spec: { list: ['a'], map: { b: 'c' }, part: { a: 'd' } } };
  checkExpressions(root, made, ({ path }) => paths.push(path));
  expect(paths).toEqual(['^.spec.list.items', '^.spec.map.additionalProperties', '^.spec.part.a']);
});
