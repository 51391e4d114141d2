import { describe, expect, test } from 'vitest';
import { formatJsonPath } from './jsonpath.ts';

const DATA = {
  kind: 'List',
  count: 3,
  ready: true,
  none: null,
  items: [
    { name: 'one', version: '1.0.0', labels: { 'app.kubernetes.io/name': 'lamp', tier: 'gold' }, ports: [80, 443] },
    { name: 'two', version: '2.0.0', labels: {}, ready: false },
  ],
};

const CASES: readonly { readonly because: string; readonly template: string; readonly text: string }[] = [
  { because: 'text alone', template: 'as it is', text: 'as it is' },
  { because: 'a field', template: '{.kind}', text: 'List' },
  { because: 'the sign of the root is optional', template: '{$.kind}', text: 'List' },
  { because: 'text around', template: 'kind is {.kind}!', text: 'kind is List!' },
  { because: 'no string', template: '{.count} {.ready} {.none}', text: '3 true null' },
  { because: 'a missing field is empty', template: '[{.missing.field}]', text: '[]' },
  { because: 'a field that every object inherits', template: '[{.constructor}{.__proto__}]', text: '[]' },
  { because: 'an item', template: '{.items[0].name}', text: 'one' },
  { because: 'an item from the end', template: '{.items[-1].name}', text: 'two' },
  { because: 'an item that is not there', template: '[{.items[7].name}]', text: '[]' },
  { because: 'all items', template: '{.items[*].name}', text: 'one two' },
  { because: 'all values of an object', template: '{.items[0].labels.*}', text: 'lamp gold' },
  { because: 'an escaped dot', template: '{.items[0].labels.app\\.kubernetes\\.io/name}', text: 'lamp' },
  { because: 'a quoted field', template: "{.items[0].labels['app.kubernetes.io/name']}", text: 'lamp' },
  { because: 'a filter', template: '{.items[?(@.name=="two")].version}', text: '2.0.0' },
  {
    because: 'a filter with single quotes and space',
    template: "{.items[?( @.name == 'two' )].version}",
    text: '2.0.0',
  },
  { because: 'a filter of values that differ', template: '{.items[?(@.name!="two")].version}', text: '1.0.0' },
  { because: 'a filter of a value that is no text', template: '{.items[?(@.ready==false)].name}', text: 'two' },
  { because: 'a filter by a field that is there', template: '{.items[?(@.ports)].name}', text: 'one' },
  { because: 'a filter by a path', template: '{.items[?(@.labels.tier=="gold")].name}', text: 'one' },
  { because: 'an object is JSON', template: '{.items[0].ports}', text: '[80,443]' },
  { because: 'quoted text', template: '{.kind}{"\\n\\t"}{"{}"}', text: 'List\n\t{}' },
  { because: 'several in one pair of braces', template: '{.kind "-" .count}', text: 'List-3' },
  { because: 'a range', template: '{range .items[*]}{.name}={.version}{"\\n"}{end}', text: 'one=1.0.0\ntwo=2.0.0\n' },
  {
    because: 'a range in a range',
    template: '{range .items[*]}{.name}:{range .ports[*]}{@},{end};{end}',
    text: 'one:80,443,;two:;',
  },
];

test.each(CASES)('a template picks values: $because', ({ template, text }) => {
  expect(formatJsonPath(template, DATA)).toBe(text);
});

describe('a template that is not supported is refused, and never printed as if it were empty', () => {
  test.each([
    '{.kind',
    '{range .items[*]}{.name}',
    '{end}',
    '{..name}',
    '{.items[0:1]}',
    "{['a','b']}",
    '{.items[?(@.a>1)]}',
    '{kind}',
    '{}x{',
    '{.a "x}',
    '{range .items[*]} {end}{end}',
  ])('%s', (template) => {
    expect(() => formatJsonPath(template, DATA)).toThrow(expect.objectContaining({ reason: 'InputInvalid' }) as Error);
  });
});
