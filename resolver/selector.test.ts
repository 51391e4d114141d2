import { describe, expect, test } from 'vitest';
import { matchesSelector, type LabelSelector } from './selector.ts';

const labels = { tier: 'gold', team: 'a' };

describe('a selector', () => {
  test.each<{
    readonly because: string;
    readonly selector?: LabelSelector;
    readonly labels?: Readonly<Record<string, string>>;
    readonly matches: boolean;
  }>([
    { because: 'none matches everything', labels, matches: true },
    { because: 'an empty one matches everything', selector: {}, matches: true },
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
      because: 'what is absent is in no list',
      selector: { matchExpressions: [{ key: 'x', operator: 'In', values: ['tin'] }] },
      labels,
      matches: false,
    },
    {
      because: 'what is absent is not in a list',
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
      because: 'names of the language are no labels',
      selector: { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] },
      labels: {},
      matches: false,
    },
  ])('$matches: $because', ({ selector, labels: given, matches }) => {
    expect(matchesSelector(selector, given)).toBe(matches);
  });
});
