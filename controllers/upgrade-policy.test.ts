import { describe, expect, test } from 'vitest';
import { ANNOTATION } from '../api/names.ts';
import { UpgradePolicy } from '../api/upgrade-policy.ts';
import { subscription } from './subscription/testing/facts.ts';
import { policyInForce } from './upgrade-policy.ts';

const policy = (automatic: 'Patch' | 'Minor' | 'Major'): UpgradePolicy =>
  UpgradePolicy.parse({ automatic }) as UpgradePolicy;
const namespace = (text: string | undefined): { metadata: { name: string; annotations?: Record<string, string> } } => ({
  metadata: { name: 'ops', ...(text !== undefined && { annotations: { [ANNOTATION.upgradePolicy]: text } }) },
});
const MINOR = '{"automatic":"Minor"}';

describe('the policy in force', () => {
  test.each([
    { because: 'no place has one', own: undefined, text: undefined, byDefault: undefined, expected: undefined },
    { because: 'the Subscription has one', own: 'Patch', text: MINOR, byDefault: 'Major', expected: 'Patch' },
    { because: 'the namespace has one', own: undefined, text: MINOR, byDefault: 'Major', expected: 'Minor' },
    { because: 'only the manager has one', own: undefined, text: undefined, byDefault: 'Major', expected: 'Major' },
  ] as const)('is $expected: $because', ({ own, text, byDefault, expected }) => {
    const given = subscription({ spec: own === undefined ? {} : { upgradePolicy: policy(own) } });
    const found = policyInForce(given, namespace(text), byDefault && policy(byDefault));
    expect(found).toEqual(expected && { policy: policy(expected) });
  });

  test.each([
    { because: 'it is no JSON', text: 'minor' },
    { because: 'it is a list', text: '[]' },
    { because: 'a field is misspelt, which would restrict nothing', text: '{"automatc":"Patch"}' },
    { because: 'a value does not exist', text: '{"automatic":"patch"}' },
    {
      because: 'a field of a right is misspelt, which would widen the right',
      text: '{"allowedRights":[{"verbs":["*"],"resources":["secrets"],"resourceName":["x"]}]}',
    },
    { because: 'it is empty', text: '' },
  ])('that cannot be read is not ignored: $because', ({ text }) => {
    expect(policyInForce(subscription(), namespace(text), policy('Major'))).toEqual({
      problem: expect.stringContaining(ANNOTATION.upgradePolicy) as string,
    });
  });
});
