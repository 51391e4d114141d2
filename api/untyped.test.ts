import { describe, expect, test } from 'vitest';
import { fieldsOf, isRecord, itemsOf, listOf, numberOf, textOf } from './untyped.ts';

/** One value of each type of JSON, and of the types that YAML and JavaScript add. */
const VALUES = {
  undefined: undefined,
  null: null,
  boolean: true,
  number: 0,
  bigint: 9_007_199_254_740_993n,
  text: 'x',
  'empty text': '',
  list: [{ a: 1 }, 'x', null, ['y']],
  object: { a: 1 },
} satisfies Readonly<Record<string, unknown>>;

type Type = keyof typeof VALUES;

/** The values that a reader reads, each with its result; all others give `otherwise`. */
const READERS: readonly {
  readonly reader: (value: unknown) => unknown;
  readonly reads: Partial<Record<Type, unknown>>;
  readonly otherwise: unknown;
  readonly because: string;
}[] = [
  { reader: isRecord, reads: { object: true }, otherwise: false, because: 'a list has no fields by name' },
  {
    reader: fieldsOf,
    reads: { object: VALUES.object },
    otherwise: {},
    because: 'a field of another type reads as if it were absent',
  },
  { reader: itemsOf, reads: { list: VALUES.list }, otherwise: [], because: 'each item keeps its type' },
  {
    reader: listOf,
    reads: { list: [{ a: 1 }, {}, {}, {}] },
    otherwise: [],
    because: 'an item that is no object keeps its place, so that positions in messages are right',
  },
  {
    reader: textOf,
    reads: { text: 'x' },
    otherwise: '',
    because: 'a number in place of a text is a mistake of its writer',
  },
  {
    reader: numberOf,
    reads: { number: 0 },
    otherwise: undefined,
    because: 'arithmetic with a bigint throws',
  },
];

describe('readers of data of unknown shape', () => {
  test.each(READERS)('$reader.name reads its type, and nothing else: $because', ({ reader, reads, otherwise }) => {
    for (const [type, value] of Object.entries(VALUES)) {
      const expected = type in reads ? reads[type as Type] : otherwise;
      expect([type, reader(value)]).toEqual([type, expected]);
    }
  });
});
