/** Sentences of the manager beside the buttons and the rows of a page. */
import { describe, expect, test } from 'vitest';
import { condition, INSTALLED, READY, subscription } from '../../report/testing/objects.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import { operatorRow } from './operator-row.ts';
import { outdatedSentence, withoutApproval } from './sentences.ts';
import { subscription as subscriptionView } from './subscription.ts';
import { modelOf, visibleWith } from './testing/scene.ts';

const APPROVE = `kubectl -n ops patch revisions.slipway.dev gadget-2 --type merge -p '{"spec":{"approved":true}}'`;

describe('the line that approves without naming the plan', () => {
  test.each([
    { text: `gadget.v2.0.0 waits for approval: ${APPROVE}`, shown: 'gadget.v2.0.0 waits for approval' },
    { text: `a is healthy; b waits for approval: ${APPROVE}`, shown: 'a is healthy; b waits for approval' },
    { text: 'waits for approval: it gains rights', shown: 'waits for approval: it gains rights' },
    { text: 'see: kubectl -n ops get pods', shown: 'see: kubectl -n ops get pods' },
  ])('is left out, since the button has a safer one: $text', ({ text, shown }) => {
    expect(withoutApproval(text)).toBe(shown);
  });

  test('is in no sentence of a row, nor of the page of a Subscription', () => {
    const available = { bundle: 'gadget.v2.0.0', version: '2.0.0' };
    const message = `gadget.v1.0.0 is installed and healthy; gadget.v2.0.0 waits for approval: ${APPROVE}`;
    const conditions = [
      { ...READY, message },
      condition('UpgradeAvailable', 'True', 'ApprovalRequired', `gadget.v2.0.0 waits for approval: ${APPROVE}`),
    ];
    const one = subscription({ status: { installed: INSTALLED, available, conditions } });
    const { message: shown, outdated } = modelOf(subscriptionView, visibleWith({ subscriptions: [one] }));
    const row = operatorRow(one);
    for (const text of [shown, outdated, row.message, row.outdated]) expect(text).toMatch(/waits for approval$/);
  });
});

describe('why the newest version is not installed', () => {
  const refused = (message: string): SubscriptionStatus => ({
    installed: INSTALLED,
    refused: [{ version: '3.0.0', reason: 'NoPath', message }],
    conditions: [READY],
  });

  test.each([
    { because: 'the reason begins with a pronoun', status: refused('it is not in the range "1.0.0"'), shown: '3.0.0 is not chosen: it is not in the range "1.0.0"' }, // prettier-ignore
    { because: 'the reason names the version', status: refused('gadget.v3.0.0 needs Kubernetes 1.40'), shown: 'gadget.v3.0.0 needs Kubernetes 1.40' }, // prettier-ignore
    { because: 'it is installed', status: { installed: INSTALLED, conditions: [READY] }, shown: undefined },
  ])('names the version: $because', ({ status, shown }) => {
    expect(outdatedSentence(subscription({ status }))).toBe(shown);
  });
});

describe('the version that comes next', () => {
  test.each([
    { because: 'a person decides', reason: 'ApprovalRequired', isWaiting: true },
    { because: 'a window opens later', reason: 'OutsideWindow', isWaiting: true },
    { because: 'it is being applied', reason: 'Upgrading', isWaiting: false },
  ])('waits, or is in progress: $because', ({ reason, isWaiting }) => {
    const pending = { revision: 'gadget-2', bundle: 'gadget.v2.0.0', version: '2.0.0', reason };
    const one = subscription({ status: { installed: INSTALLED, pending, conditions: [READY] } });
    const model = modelOf(subscriptionView, visibleWith({ subscriptions: [one] }));
    expect(model.pending).toEqual({ version: '2.0.0', reason, isWaiting });
    expect(model.facts.map(({ name }) => name)).not.toContain('In progress');
  });
});
