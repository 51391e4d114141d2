import { expect, test } from 'vitest';
import { printOutdated } from './outdated.ts';

test.each([
  { because: 'no Subscription is there', checked: 0, text: 'There are no Subscriptions here; -A checks those of all namespaces\n' }, // prettier-ignore
  { because: 'all are new', checked: 2, text: 'No newer version exists for 2 Subscriptions\n' },
])('without a finding one line says so: $because', ({ checked, text }) => {
  expect(printOutdated([], checked)).toBe(text);
});
