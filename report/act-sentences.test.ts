import { expect, test } from 'vitest';
import { parseMastermindsRange } from '../resolver/ranges/masterminds.ts';
import { parseVersion } from '../resolver/version.ts';
import { describeInstall, describeRollback } from './act-sentences.ts';

const RANGES: readonly { readonly before?: string; readonly range: string; readonly outside?: string }[] = [
  { range: '!=1.1.0' },
  { before: '1.1.0', range: '!=1.1.0' },
  { before: '=v1.1.0', range: '!=1.1.0' },
  { before: '~1', range: '~1 !=1.1.0', outside: '2.0.0' },
  { before: '>=1.0, <2', range: '>=1.0, <2 !=1.1.0', outside: '2.0.0' },
  { before: '1.0 - 1.5 || 3.x', range: '1.0 - 1.5 !=1.1.0 || 3.x !=1.1.0', outside: '2.0.0' },
  { before: "1'; rm -rf", range: '!=1.1.0' },
];

test.each(RANGES)(
  'after a rollback from 1.1.0 the command that upgrades again has the range $range, if spec.version was $before',
  ({ before, range, outside }) => {
    const sentence = describeRollback('ops/gadget', { version: '1.0.0', left: '1.1.0', before });
    expect(sentence.endsWith(`: slipway upgrade ops/gadget --version '${range}'`)).toBe(true);
    expect(sentence.includes(`Its spec.version was ${before}`)).toBe(before !== undefined);
    const parsed = parseMastermindsRange(range);
    const includes = (text: string): unknown => {
      const version = parseVersion(text);
      return parsed.ok && version.ok && parsed.value.includes(version.value);
    };
    expect([includes('1.1.0'), includes('1.2.0')]).toEqual([false, true]);
    if (outside !== undefined) expect(includes(outside)).toBe(false);
  },
);

test('a rollback from a version that is not known names no command that could install it again', () => {
  expect(describeRollback('ops/gadget', { version: '1.0.0' })).not.toContain('slipway upgrade');
});

test('an installation that waits for a person names the command that approves it', () => {
  expect(describeInstall('ops/gadget', 'gadget', true)).toContain('slipway approve ops/gadget');
  expect(describeInstall('ops/gadget', 'gadget', false)).toContain('slipway wait ops/gadget');
});
