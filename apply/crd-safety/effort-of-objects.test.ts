/** The effort of judging an object is bounded, whatever its schema and its values are. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import type { Fields } from '../../api/untyped.ts';
import { sampleOf } from '../../e2e/lib/sample.ts';
import type { Comparison } from './comparisons.ts';
import { harmsOf, refusalsOf, TOO_MUCH } from './hurt.ts';
import type { CrdVersion, Schema } from './schema.ts';
import { stepsOf } from './testing/steps-of.ts';

function versionWith(spec: Schema): CrdVersion {
  const schema = { type: 'object', properties: { spec } };
  return { name: 'v1', served: true, storage: true, schema, hasStatus: false, prunes: true };
}

/** A change after which the field has this schema; any value was allowed before. */
function changeTo(spec: Schema): Comparison {
  const old = versionWith({ 'x-kubernetes-preserve-unknown-fields': true });
  return { label: 'v1', old, next: versionWith(spec), baseline: old, isNewsOnly: false };
}

const widget = (spec: unknown): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'ops' },
  spec,
});

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const text = { type: 'string' };
const list = (items: Fields, more: Fields = {}): Fields => ({ type: 'array', items, ...more });
const object = (properties: Fields, more: Fields = {}): Fields => ({ type: 'object', properties, ...more });
const fields = (count: number, field: Fields): Fields =>
  Object.fromEntries(many(count, (index) => [`field${index}`, field]));

const LONG = 'x'.repeat(1_000_000);
const always = { 'x-kubernetes-validations': [{ rule: 'true' }] };

/** A measured part may be begun before the steps end: the JSON of one value, or the characters of one text. */
const MOST_OF_A_SAMPLE = 200_000 + 1_000_000 / 4;

interface Case {
  readonly because: string;
  readonly schema: Schema;
  readonly value: unknown;
}

/** Each takes minutes or gigabytes if its characters, fields and items cost nothing. */
const ENDLESS: readonly Case[] = [
  {
    because: 'a long text is compared with thousands of allowed values',
    schema: { ...text, enum: many(40_000, (index) => `e${index}`) },
    value: LONG,
  },
  {
    because: 'a long text is measured in each of a thousand branches',
    schema: { ...text, oneOf: many(1000, () => ({ maxLength: 1 })) },
    value: LONG,
  },
  {
    because: 'each item of a long list has thousands of defaults',
    schema: list(object(fields(1000, { type: 'integer', default: 0 }))),
    value: many(100_000, () => ({})),
  },
  {
    because: 'the names of missing fields are long',
    schema: list({ type: 'object', allOf: [{ required: many(20, (index) => `${LONG.slice(0, 5000)}${index}`) }] }),
    value: many(100_000, () => ({})),
  },
  {
    because: 'each problem is at a path with a long name',
    schema: object({ [LONG]: list(text) }),
    value: { [LONG]: many(100_000, () => 1) },
  },
  {
    because: 'each of many fields is passed by each of many branches',
    schema: object(fields(10_000, text), { anyOf: many(5000, () => ({ required: ['b'] })) }),
    value: fields(10_000, {}),
  },
  {
    because: 'each item may have thousands of keys',
    schema: list(object({}), {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': many(1000, (index) => `key${index}`),
    }),
    value: many(3000, () => ({})),
  },
  {
    because: 'a short pattern has many repetitions',
    schema: list({ ...text, pattern: '[a-z]{1000}'.repeat(10) }),
    value: many(1000, () => 'abcdefghij'),
  },
  {
    because: 'there are more patterns than are kept compiled',
    schema: list({ ...text, oneOf: many(3000, (index) => ({ pattern: `^[a-z]{1,60}${index}$` })) }),
    value: many(1000, () => 'a'),
  },
];

describe('judging ends', { timeout: 60_000 }, () => {
  test.each(ENDLESS)('a sample is not judged if $because', ({ schema, value }) => {
    const run = (): void => expect(refusalsOf(versionWith(schema), widget(value))).toBeUndefined();
    expect(stepsOf(run)).toBeLessThan(MOST_OF_A_SAMPLE);
  });

  // each takes all the steps of an object, seconds
  const judged = ENDLESS.filter(({ schema }) => schema['enum'] === undefined);
  test.each(sampleOf(judged, { every: 4 }))('an object counts as hurt if $because', ({ schema, value }) => {
    expect(harmsOf(changeTo(schema), widget(value))).toEqual([TOO_MUCH]);
  });

  test('a pattern that would be too large is not compiled, and an object with the field counts as hurt', () => {
    const harms = harmsOf(changeTo({ ...text, pattern: 'a{1000}'.repeat(3000) }), widget('a'));
    expect(harms).toMatchObject([{ rule: 'pattern', effect: 'rejects' }]);
  });
});

describe('judging costs little', { timeout: 60_000 }, () => {
  const dates = many(500, () => '2020-01-01T00:00:00Z');

  function nested(levels: number): Case {
    let [schema, value]: [Schema, unknown] = [object({ dates: list({ ...text, format: 'date-time' }) }, always), { dates }]; // prettier-ignore
    for (let level = 1; level < levels; level += 1) [schema, value] = [object({ below: schema }, always), { below: value }]; // prettier-ignore
    return { because: `${levels} levels`, schema, value };
  }

  function stepsOfChange({ schema, value }: Case): number {
    return stepsOf(() => expect(harmsOf(changeTo(schema), widget(value))).toEqual([]));
  }

  test('rules at five levels convert the value below them once', () => {
    expect(stepsOfChange(nested(5))).toBeLessThan(1.1 * stepsOfChange(nested(1)));
  });

  test('each item of a list passes no field without a default', () => {
    const items = many(10_000, () => ({}));
    const [few, lots] = [1, 1000].map((count) => {
      const version = versionWith(list(object(fields(count, text))));
      return stepsOf(() => expect(refusalsOf(version, widget(items))).toEqual([]));
    }) as [number, number];
    expect(lots - few).toBeLessThan(1000);
  });

  test('a value is compared with any number of allowed values at once', () => {
    const of = (count: number): number => {
      const version = versionWith(list({ ...text, enum: many(count, (index) => `value${index}`) }));
      const object = widget(many(1000, () => 'value0'));
      const run = (): void => expect(refusalsOf(version, object)).toEqual([]);
      run();
      return stepsOf(run);
    };
    expect(of(1000)).toBe(of(1));
  });

  test('a list with the same problem in each item has it once', () => {
    const found = refusalsOf(versionWith(list(text)), widget(many(10_000, () => 1)));
    expect(found).toMatchObject([{ rule: 'type', path: '^.spec.items' }]);
  });

  test('an object of 80,000 values is judged', () => {
    const schema = list(object({ a: text, b: { type: 'integer' }, c: { type: 'boolean' } }));
    const value = many(20_000, () => ({ a: 'abc', b: 1, c: true }));
    expect(harmsOf(changeTo(schema), widget(value))).toEqual([]);
  });
});

describe('a message is short', () => {
  test.each<Case & { readonly rule: string }>([
    { because: 'a value', schema: { ...text, enum: ['a'] }, value: LONG.slice(0, 9000), rule: 'enum' },
    { because: 'a pattern', schema: { ...text, pattern: LONG.slice(0, 9000) }, value: 'a', rule: 'pattern' },
    { because: 'a name of a type', schema: { type: LONG }, value: 'a', rule: 'type' },
    { because: 'the name of a missing field', schema: object({}, { required: [LONG] }), value: {}, rule: 'required' },
    {
      because: 'the list of all faults below a part',
      schema: { allOf: [object({}, { required: many(100, (index) => `${LONG.slice(0, 5000)}${index}`) })] },
      value: {},
      rule: 'allOf',
    },
    {
      because: 'an expression',
      schema: { ...text, 'x-kubernetes-validations': [{ rule: `self == '${LONG.slice(0, 9000)}'` }] },
      value: 'a',
      rule: 'validations',
    },
    {
      because: "the author's words",
      schema: { ...text, 'x-kubernetes-validations': [{ rule: 'false', message: LONG }] },
      value: 'a',
      rule: 'validations',
    },
  ])('although $because is long', ({ schema, value, rule }) => {
    const harms = harmsOf(changeTo(schema), widget(value));
    expect(harms.map((harm) => harm.rule)).toEqual([rule]);
    expect(harms.map(({ message }) => message.length).every((length) => length < 1000)).toBe(true);
  });
});
