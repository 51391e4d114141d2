import { expect, test } from 'vitest';
import { JsonCounts } from './json-counts.ts';

test.each([
  { text: '[]', containers: 1, entries: 0, because: 'an empty list has no items' },
  { text: '{}', containers: 1, entries: 0, because: 'an empty map has no values' },
  { text: '[{},{},[]]', containers: 4, entries: 3, because: 'empty ones are items' },
  { text: '{"a":1,"b":[2,null]}', containers: 2, entries: 4, because: 'scalars count in maps and lists' },
  { text: '{"a":{"b":{"c":""}}}', containers: 3, entries: 3, because: 'maps are values' },
  { text: '["[{,","\\"[,\\\\","]"]', containers: 1, entries: 3, because: 'brackets and commas of texts do not count' },
  { text: '"[,"', containers: 0, entries: 0, because: 'the outermost value is no entry' },
])('$text has $containers lists and maps with $entries values: $because', ({ text, containers, entries }) => {
  const bytes = Buffer.from(text);
  for (const size of [1, 2, 3, bytes.length]) {
    const counts = new JsonCounts();
    for (let from = 0; from < bytes.length; from += size) counts.push(bytes.subarray(from, from + size));
    expect([counts.bytes, counts.containers, counts.entries]).toEqual([bytes.length, containers, entries]);
  }
});
