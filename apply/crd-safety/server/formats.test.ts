import { expect, test } from 'vitest';
import { checkedFormat, hasFormat, isInRange } from './formats.ts';

test.each([
  { format: 'int32', type: 'integer', checked: 'int32', because: 'the format is for integers' },
  { format: 'int32', type: 'string', checked: '', because: 'texts do not have the format' },
  { format: 'float', type: 'number', checked: 'float', because: 'the format is for numbers' },
  { format: 'date-time', type: 'string', checked: 'datetime', because: 'dashes in format names are ignored' },
  {
    format: 'date-time',
    type: '',
    checked: 'datetime',
    because: 'a value that may be a text is checked if it is a text',
  },
  { format: 'of-nobody', type: 'string', checked: '', because: 'it is documentation only' },
  { format: 'date', type: 'object', checked: '', because: 'no format applies to objects' },
])('$format of $type is checked as "$checked", because $because', ({ format, type, checked }) => {
  expect(checkedFormat(format, type)).toBe(checked);
});

test.each([
  { format: 'hostname', right: ['a.b.example', 'abc', 'a-b'], wrong: ['2020-02-29', '-a', 'a..b', 'a.b.1'] },
  { format: 'date', right: ['2020-02-29'], wrong: ['2020-02-30', '20-02-01', 'a'] },
  {
    format: 'datetime',
    right: ['2020-02-29T10:00:00Z', '2020-02-29t10:00:00.5+01:00'],
    wrong: ['2020-02-29', '2020-02-29T24:00:00Z'],
  },
  { format: 'duration', right: ['1h30m', '0', '-1.5s'], wrong: ['', 'h', '1'] },
  { format: 'uri', right: ['http://x/y?z=1', '/path', 'urn:a:b'], wrong: ['10.0.0.0/8', 'a b', 'a'] },
  { format: 'cidr', right: ['10.0.0.0/8', '::/0'], wrong: ['10.0.0.0', '10.0.0.0/33'] },
  { format: 'uuid4', right: ['550e8400-e29b-41d4-a716-446655440000'], wrong: ['550e8400-e29b-11d4-a716-446655440000'] },
  { format: 'creditcard', right: [], wrong: ['4111111111111111'] },
])('$format', ({ format, right, wrong }) => {
  expect([...right, ...wrong].map((text) => hasFormat(text, format))).toEqual([
    ...right.map(() => true),
    ...wrong.map(() => false),
  ]);
});

test.each([
  { value: 2 ** 31 - 1, type: 'integer', format: 'int32', fits: true },
  { value: 2 ** 31, type: 'integer', format: 'int32', fits: false },
  { value: 2n ** 63n - 1n, type: 'integer', format: '', fits: true },
  { value: 2n ** 63n, type: 'integer', format: 'int64', fits: false },
  { value: 1e300, type: 'number', format: 'float', fits: false },
  { value: 1e300, type: 'number', format: 'double', fits: true },
])('$value fits into $type $format: $fits', ({ value, type, format, fits }) => {
  expect(isInRange(value, type, format)).toBe(fits);
});
