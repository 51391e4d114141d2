import { describe, expect, test } from 'vitest';
import type { SubscriptionStatus } from '../api/subscription-status.ts';
import type { Subscription } from '../api/subscription.ts';
import { describeOpen } from './describe-open.ts';
import { openByStatus, type OpenHandOver } from './open-hand-overs.ts';

const V0: OpenHandOver = { operator: { from: 'OLMv0', name: 'by-olm' }, stage: 'TakingOver' };
const V1: OpenHandOver = { operator: { from: 'OLMv1', name: 'gadgets' }, stage: 'TakingOver' };
const adopting = (stage: 'Preparing' | 'TakingOver' | 'HandedOver'): SubscriptionStatus => ({
  adoption: { subscription: 'by-olm', stage, step: 'x' },
});

function subscription(status: SubscriptionStatus): Subscription {
  return { metadata: { namespace: 'ops', name: 'gadget' }, spec: { package: 'gadget' }, status } as Subscription;
}

test.each([
  { because: 'it names none', status: {}, stages: undefined },
  { because: 'OLM has the operator', status: adopting('Preparing'), stages: ['by-olm Preparing'] },
  { because: 'Slipway takes it over', status: adopting('TakingOver'), stages: ['by-olm TakingOver'] },
  { because: 'it has ended', status: adopting('HandedOver'), stages: [] },
])('by the status the hand-overs that have not ended are $stages: $because', ({ status, stages }) => {
  const found = openByStatus(subscription(status));
  expect(found?.map(({ operator, stage }) => `${operator.name} ${stage}`)).toEqual(stages);
});

describe('the sentence about a hand-over', () => {
  const TAKEN = { installed: { bundle: 'gadget.v1.0.0', version: '1.0.0' } } as SubscriptionStatus;
  test.each([
    { because: 'OLM has the operator', status: adopting('Preparing'), begun: [], leaves: false, says: [/calls it off/, /run ops\/by-olm`$/], not: [/webhook/] }, // prettier-ignore
    { because: 'Slipway has taken it over', status: TAKEN, begun: [V0], leaves: false, says: [/its ClusterServiceVersion is held no longer/, /webhook configurations/], not: [/not taken over yet/] }, // prettier-ignore
    { because: 'Slipway has not taken it over', status: {}, begun: [V0], leaves: false, says: [/not taken over yet stay/], not: [/calls it off/] }, // prettier-ignore
    { because: 'its objects stay', status: TAKEN, begun: [V0], leaves: true, says: [/held no longer/], not: [/webhook/] }, // prettier-ignore
    { because: 'the status counts before the backups', status: adopting('TakingOver'), begun: [V1], leaves: false, says: [/hand-over of by-olm/], not: [/gadgets/] }, // prettier-ignore
    { because: 'OLM v1 had it', status: TAKEN, begun: [V1], leaves: false, says: [/from OLM v1/, /ClusterExtension gadgets/, /run gadgets --from olm-v1`$/], not: [/ClusterServiceVersion/] }, // prettier-ignore
  ] as const)('names its end, and the command that helps: $because', ({ status, begun, leaves, says, not }) => {
    const [sentence, ...others] = describeOpen(subscription(status), begun, leaves);
    expect(others).toEqual([]);
    for (const part of says) expect(sentence).toMatch(part);
    for (const part of not) expect(sentence).not.toMatch(part);
  });
});
