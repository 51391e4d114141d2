import { describe, expect, test } from 'vitest';
import { keyOfAccess, rightsFrom, type Rights } from './access.ts';
import type { Action } from './actions.ts';
import { accessOfOffers, buttonOf, type Offer } from './buttons.ts';
import { ACTIONS } from './testing/actions.ts';

const SUSPEND: Action = { kind: 'suspend', namespace: 'ops', name: 'gadget' };
const OFFER: Offer = { label: 'Suspend', action: SUSPEND };
const ACCOUNT = { systemNamespace: 'slipway-system' };
const PATCH = { verb: 'patch', group: 'slipway.dev', resource: 'subscriptions', namespace: 'ops', name: 'gadget' };
const AS_MANAGER = {
  verb: 'impersonate',
  group: '',
  resource: 'serviceaccounts',
  namespace: 'slipway-system',
  name: 'slipway-manager',
};

const rights = (patch: boolean | undefined, impersonate: boolean | undefined): Rights =>
  rightsFrom([PATCH, AS_MANAGER], [patch, impersonate]);

describe('a button says whether the person may press it', () => {
  test.each([
    { because: 'both rights are there', patch: true, impersonate: true, allowed: true, says: undefined },
    {
      because: 'RBAC denies it',
      patch: false,
      impersonate: true,
      allowed: false,
      says: 'You have no right to patch subscriptions.slipway.dev gadget in namespace ops',
    },
    {
      because: 'RBAC was not asked',
      patch: undefined,
      impersonate: true,
      allowed: 'unknown',
      says: /^It is not known whether you have the right to patch subscriptions\.slipway\.dev/,
    },
    {
      because: 'only the policy, which the cluster may not have, would refuse it',
      patch: true,
      impersonate: false,
      allowed: 'unknown',
      says: /^The policy slipway-accounts, .* impersonate serviceaccounts slipway-manager in namespace slipway-system, which you lack$/,
    },
    {
      because: 'it is not known whether the policy would refuse it',
      patch: true,
      impersonate: undefined,
      allowed: 'unknown',
      says: /which you may lack$/,
    },
    {
      because: 'a certain no comes before a doubt',
      patch: false,
      impersonate: undefined,
      allowed: false,
      says: /^You have no right/,
    },
  ])('$because', ({ patch, impersonate, allowed, says }) => {
    const button = buttonOf(OFFER, { rights: rights(patch, impersonate), readOnly: false, account: ACCOUNT });
    expect(button.allowed).toBe(allowed);
    if (says === undefined) expect(button).not.toHaveProperty('because');
    else if (typeof says === 'string') expect(button.because).toBe(says);
    else expect(button.because).toMatch(says);
  });

  test('in a read-only console none can be pressed, and each shows its line', () => {
    const button = buttonOf(OFFER, { rights: rights(true, true), readOnly: true, account: ACCOUNT });
    expect(button).toMatchObject({ allowed: false, because: expect.stringContaining('read-only') as string });
    expect(button.command).toContain('kubectl -n ops patch');
  });

  test('an obstacle explains a button whatever the rights are', () => {
    const offer = { ...OFFER, obstacle: 'Nothing waits' };
    const terms = { rights: rights(true, true), readOnly: false, account: ACCOUNT };
    expect(buttonOf(offer, terms)).toMatchObject({ allowed: false, because: 'Nothing waits' });
  });
});

test.each(ACTIONS)('$action.kind is pressed only with the rights that it asks for: $because', ({ action }) => {
  const questions = accessOfOffers([{ label: 'x', action }], ACCOUNT);
  const terms = (answers: readonly boolean[]) => ({
    rights: rightsFrom(questions, answers),
    readOnly: false,
    account: ACCOUNT,
  });
  const all = questions.map(() => true);
  expect(buttonOf({ label: 'x', action }, terms(all)).allowed).toBe(true);
  for (const [at, question] of questions.entries()) {
    const { allowed } = buttonOf({ label: 'x', action }, terms(all.with(at, false)));
    expect(allowed, keyOfAccess(question)).toBe(question.verb === 'impersonate' ? 'unknown' : false);
  }
});

test('the account of the Subscription is the one that the policy asks about', () => {
  const account = { ...ACCOUNT, serviceAccountName: 'installer' };
  expect(accessOfOffers([OFFER], account).map(keyOfAccess)).toContain('impersonate  serviceaccounts ops installer');
});
