import { describe, expect, test } from 'vitest';
import { matchesSelector, selectorProblem, type LabelSelector } from './selector.ts';

const labels = { tier: 'gold', team: 'a' };

describe('label selectors', () => {
  test.each<{
    readonly because: string;
    readonly selector?: LabelSelector;
    readonly labels?: Readonly<Record<string, string>>;
    readonly matches: boolean;
  }>([
    { because: 'an absent selector matches everything', labels, matches: true },
    { because: 'an empty selector matches everything', selector: {}, matches: true },
    { because: 'all labels are there', selector: { matchLabels: { tier: 'gold', team: 'a' } }, labels, matches: true },
    { because: 'one label is another', selector: { matchLabels: { tier: 'gold', team: 'b' } }, labels, matches: false },
    {
      because: 'the value is listed',
      selector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['gold', 'tin'] }] },
      labels,
      matches: true,
    },
    {
      because: 'the value is not listed',
      selector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['tin'] }] },
      labels,
      matches: false,
    },
    {
      because: 'an absent label is in no list',
      selector: { matchExpressions: [{ key: 'x', operator: 'In', values: ['tin'] }] },
      labels,
      matches: false,
    },
    {
      because: 'an absent label is not in a list',
      selector: { matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['tin'] }] },
      labels,
      matches: true,
    },
    {
      because: 'the value is ruled out',
      selector: { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['gold'] }] },
      labels,
      matches: false,
    },
    {
      because: 'the label exists',
      selector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
      labels,
      matches: true,
    },
    {
      because: 'the label does not exist',
      selector: { matchExpressions: [{ key: 'x', operator: 'Exists' }] },
      labels,
      matches: false,
    },
    {
      because: 'no label may exist',
      selector: { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
      labels,
      matches: false,
    },
    {
      because: 'names of JavaScript properties are no labels',
      selector: { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] },
      labels: {},
      matches: false,
    },
  ])('a selector matches: $matches, because $because', ({ selector, labels: given, matches }) => {
    expect(matchesSelector(selector, given)).toBe(matches);
  });
});

describe('problems of a selector', () => {
  const expression = (key: string, operator: string, values?: readonly string[]): LabelSelector => ({
    matchExpressions: [{ key, operator, values }],
  });
  test.each<{ readonly because: string; readonly selector: LabelSelector; readonly problem: string | undefined }>([
    { because: 'an empty selector is valid', selector: {}, problem: undefined },
    { because: 'a key may have a prefix', selector: expression('example.com/tier', 'Exists'), problem: undefined },
    { because: 'a value may be empty', selector: { matchLabels: { tier: '' } }, problem: undefined },
    { because: 'a key has no spaces', selector: expression('a b', 'Exists'), problem: '"a b" is no label key' },
    { because: 'a key is not empty', selector: expression('', 'Exists'), problem: '"" is no label key' },
    { because: 'a prefix is a domain', selector: expression('A_B/c', 'Exists'), problem: '"A_B/c" is no label key' },
    { because: 'a prefix has no slash', selector: expression('a/b/c', 'Exists'), problem: '"a/b/c" is no label key' },
    {
      because: 'a value is no sentence',
      selector: { matchLabels: { tier: 'not this' } },
      problem: '"not this" is no label value',
    },
    { because: 'there are four operators', selector: expression('a', 'Gt', ['1']), problem: '"Gt" is no operator' },
    {
      because: 'In without values matches nothing',
      selector: expression('a', 'In'),
      problem: 'operator In takes at least one value',
    },
    {
      because: 'Exists takes no values',
      selector: expression('a', 'Exists', ['b']),
      problem: 'operator Exists takes no values',
    },
  ])('the problem of a selector is $problem: $because', ({ selector, problem }) => {
    expect(selectorProblem(selector)).toBe(problem);
  });
});
