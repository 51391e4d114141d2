import { describe, expect, test } from 'vitest';
import { parseYaml } from '../yaml.ts';
import { rewriteDocument } from './rewrite.ts';

const parse = (text: string): unknown => parseYaml(text)[0]?.value ?? null;

type Channel = { readonly name: string; readonly entries: readonly Record<string, unknown>[] };
/** A change of the data that a text holds. */
type Change = (channel: Channel) => unknown;

const add: Change = ({ entries, ...rest }) => ({
  ...rest,
  entries: [...entries, { name: 'c', replaces: 'b', skips: ['x', 'y'] }],
});
const removeB: Change = ({ entries, ...rest }) => ({ ...rest, entries: entries.filter(({ name }) => name !== 'b') });
const edit: Change = ({ entries, ...rest }) => ({
  ...rest,
  entries: entries.map((entry) => (entry['name'] === 'b' ? { ...entry, replaces: 'z' } : entry)),
});
const skip: Change = ({ entries, ...rest }) => ({
  ...rest,
  entries: entries.map((entry) =>
    entry['name'] === 'b' ? { ...entry, skips: [...((entry['skips'] as string[]) ?? []), 'q'] } : entry,
  ),
});
const unskip: Change = ({ entries, ...rest }) => ({
  ...rest,
  entries: entries.map(({ skips, ...entry }) =>
    entry['name'] === 'b' ? entry : { ...entry, ...(skips !== undefined && { skips }) },
  ),
});

const BLOCK = `# The channel of everyone.
schema: olm.channel
name: stable # do not rename

entries:
  # first
  - name: a
  # second
  - name: 'b' # pinned
    replaces: "a"
    skips:
      - s   # bad
# the end
`;
const TIGHT = `entries:
- name: a
- {name: b, replaces: a}   # flow
name: stable
`;
const ONE_LINE = `{"schema":"olm.channel","name":"stable","entries":[{"name":"a"},{"name":"b","replaces":"a","skips":["s"]}]}\n`;
const INDENTED = `{
    "name": "stable",
    "entries": [
        {
            "name": "a"
        },
        {
            "name": "b",
            "replaces": "a"
        }
    ]
}
`;
const TABS = INDENTED.replaceAll('    ', '\t');

describe('a document that is changed keeps the rest of its text', () => {
  test.each([
    {
      because: 'an item is added behind the last, with its layout',
      text: BLOCK,
      change: add,
      result: BLOCK.replace('# bad\n', '# bad\n  - name: c\n    replaces: b\n    skips:\n      - x\n      - "y"\n'),
    },
    {
      because: 'an item is removed with the comment above it',
      text: BLOCK,
      change: removeB,
      result: BLOCK.replace(/ {2}# second\n[^]*# bad\n/, ''),
    },
    {
      because: 'a text keeps its quotes and the comment behind it',
      text: BLOCK,
      change: edit,
      result: BLOCK.replace('"a"', '"z"'),
    },
    {
      because: 'a list within an item gets one more',
      text: BLOCK,
      change: skip,
      result: BLOCK.replace('# bad\n', '# bad\n      - q\n'),
    },
    {
      because: 'a key is removed with its whole value',
      text: BLOCK,
      change: unskip,
      result: BLOCK.replace('    skips:\n      - s   # bad\n', ''),
    },
    {
      because: 'items in braces get a neighbour in braces',
      text: TIGHT,
      change: add,
      result: TIGHT.replace('# flow\n', '# flow\n- {name: c, replaces: b, skips: [x, "y"]}\n'),
    },
    {
      because: 'a key is added in braces',
      text: TIGHT,
      change: skip,
      result: TIGHT.replace('replaces: a}', 'replaces: a, skips: [q]}'),
    },
    { because: 'an item in braces is removed', text: TIGHT, change: removeB, result: TIGHT.replace(/- \{.*\n/, '') },
    {
      because: 'JSON on one line stays on one line',
      text: ONE_LINE,
      change: add,
      result: ONE_LINE.replace(']}]', ']},{"name":"c","replaces":"b","skips":["x","y"]}]'),
    },
    {
      because: 'an item of JSON on one line is removed with its comma',
      text: ONE_LINE,
      change: removeB,
      result: ONE_LINE.replace(/,\{"name":"b".*?\}(?=\])/, ''),
    },
    {
      because: 'JSON with indentation gets the same indentation',
      text: INDENTED,
      change: add,
      result: INDENTED.replace(
        '"a"\n        }\n    ]',
        '"a"\n        },\n        {\n            "name": "c",\n            "replaces": "b",\n            "skips": [\n                "x",\n                "y"\n            ]\n        }\n    ]',
      ),
    },
    {
      because: 'JSON with tabs gets tabs',
      text: TABS,
      change: skip,
      result: TABS.replace('"replaces": "a"', '"replaces": "a",\n\t\t\t"skips": ["q"]'),
    },
    {
      because: 'line breaks of Windows stay',
      text: BLOCK.replaceAll('\n', '\r\n'),
      change: add,
      result: BLOCK.replace(
        '# bad\n',
        '# bad\n  - name: c\n    replaces: b\n    skips:\n      - x\n      - "y"\n',
      ).replaceAll('\n', '\r\n'),
    },
    {
      because: 'a line with the line break of Windows is removed whole',
      text: BLOCK.replaceAll('\n', '\r\n'),
      change: unskip,
      result: BLOCK.replace('    skips:\n      - s   # bad\n', '').replaceAll('\n', '\r\n'),
    },
    { because: 'nothing changes', text: BLOCK, change: (channel: Channel) => channel, result: BLOCK },
    {
      because: 'a text without a line break at its end gets an item',
      text: 'entries:\n- name: b',
      change: edit,
      result: 'entries:\n- name: b\n  replaces: z',
    },
    {
      because: 'a list becomes empty',
      text: 'entries:\n- name: b\nname: stable\n',
      change: removeB,
      result: 'entries:\n []\nname: stable\n',
    },
    {
      because: 'an empty list gets its first item',
      text: 'name: stable\nentries: []\n',
      change: add,
      result: 'name: stable\nentries: [{name: c, replaces: b, skips: [x, "y"]}]\n',
    },
    {
      because: 'a text that YAML would read as something else is quoted',
      text: 'entries: [{name: b, replaces: a}]',
      change: ({ entries }: Channel) => ({
        entries: [{ ...entries[0], replaces: '1.0', skipRange: '>=1.0.0 <2.0.0' }],
      }),
      result: 'entries: [{name: b, replaces: "1.0", skipRange: ">=1.0.0 <2.0.0"}]',
    },
  ])('$because', ({ text, change, result }) => {
    const value = change(parse(text) as Channel);
    const changed = rewriteDocument(text, value, parse);
    expect(changed).toBe(result);
    expect(parse(changed ?? '')).toEqual(value);
  });
});

describe('a document that cannot be edited in place is refused', () => {
  test.each([
    { because: 'the item is an alias', text: 'x: &b {name: b}\nentries:\n- *b\n', change: edit },
    {
      because: 'the changed value has an anchor',
      text: 'entries:\n- name: b\n  replaces: &a a\n- name: *a\n',
      change: edit,
    },
    {
      because: 'the order of a list changes',
      text: BLOCK,
      change: ({ entries, ...rest }: Channel) => ({ ...rest, entries: entries.toReversed() }),
    },
    { because: 'a key stands twice', text: 'entries:\n- name: b\n  replaces: a\n  replaces: c\n', change: edit },
    { because: 'two items have one name', text: 'entries:\n- name: b\n- name: b\n', change: add },
    { because: 'it is no map', text: '- a\n- b\n', change: () => ({ a: 1 }) },
  ])('$because', ({ text, change }) => {
    expect(rewriteDocument(text, change(parse(text) as Channel), parse)).toBeUndefined();
  });
});
