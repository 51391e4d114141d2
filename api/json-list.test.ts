import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import { formatJson, parseJson } from './json.ts';
import { JsonList } from './json-list.ts';

/** The items of a text whose bytes come in chunks of this size. */
function itemsOf(text: string, { chunk = 3, most = 100 } = {}): readonly unknown[] | undefined {
  const list = new JsonList(most);
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += chunk) list.push(bytes.subarray(from, from + chunk));
  return list.items;
}

describe('a list of any values', () => {
  test.each([
    '[]',
    ' [ \n ] ',
    '[1]',
    '[{"a":[1,2,{"b":"]},["}]},[],"x,y"]',
    '["\\"", "\\\\", "\\\\\\"]", "ä€😀"]',
    '[ 12345678901234567890 , null ]',
  ])('%s is read as by the parser for whole texts, wherever its bytes are cut', (text) => {
    for (const chunk of [1, 2, 3, 7, 1000]) expect(itemsOf(text, { chunk })).toEqual(parseJson(text));
  });

  test('any list is read as by the parser for whole texts', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.integer({ min: 1, max: 20 }), (value, chunk) => {
        const text = formatJson(value, 1);
        expect(itemsOf(text, { chunk })).toEqual(parseJson(text));
      }),
    );
  });

  test('the bytes that were pushed may change afterwards', () => {
    const list = new JsonList(1);
    const bytes = Buffer.from('["abc');
    list.push(bytes);
    bytes.fill(0);
    list.push(Buffer.from('"]'));
    expect(list.items).toEqual(['abc']);
  });
});

describe('anything else has no items', () => {
  test.each(['', ' ', 'null', '7', '"[]"', '{"0":{}}', '[', '[1', '[1,', '[1,]', '[,1]', '[,]', '[1}', '{1]', '[1]]'])(
    '%j',
    (text) => expect(itemsOf(text)).toBeUndefined(),
  );
  test.each(['[] []', '[],', 'x[1]', '[1]x', ',[1]', ']', '["]', '[1 2]', '[tru]', `["a", ${'['.repeat(9)}]`])(
    '%j',
    (text) => expect(itemsOf(text)).toBeUndefined(),
  );

  test('nor has a list of too many items, or one that is nested too deep', () => {
    expect(itemsOf('[1,2]', { most: 2 })).toHaveLength(2);
    expect(itemsOf('[1,2,3]', { most: 2 })).toBeUndefined();
    expect(itemsOf(`${'['.repeat(50_000)}${']'.repeat(50_000)}`, { chunk: 1000 })).toBeUndefined();
  });

  test('any text is a list for this parser exactly if it is one for the parser of whole texts', () => {
    const pieces = fc.array(fc.constantFrom('[', ']', '{', '}', ',', '"', '\\', ':', '1', ' ', '"a"', 'null'));
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 5 }), (parts, chunk) => {
        const text = parts.join('');
        expect(itemsOf(text, { chunk })).toEqual(listIn(text));
      }),
      { numRuns: runsOf(2000) },
    );
  });
});

function listIn(text: string): unknown {
  try {
    const value = parseJson(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
