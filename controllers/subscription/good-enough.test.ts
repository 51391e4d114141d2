/** Whether a Subscription is as requested although no bundle is chosen. */
import { expect, test } from 'vitest';
import { decideSubscription } from './decide.ts';
import { isGoodEnough } from './good-enough.ts';
import { catalog, facts, revision, subscription } from './testing/facts.ts';

const works = revision({ ready: true });
const expired = (): boolean => true;

test.each([
  { because: 'the spec permits the version', spec: {}, enough: true },
  { because: 'the spec names its channel', spec: { channel: 'stable' }, enough: true },
  { because: 'the spec names another channel', spec: { channel: 'beta' }, enough: false },
  { because: 'the spec excludes the version', spec: { version: '2.x' }, enough: false },
])(
  'without time for a decision, a version that the catalog has dropped is good enough ($enough): $because',
  (given) => {
    const one = subscription({ spec: given.spec });
    const catalogs = [catalog({ versions: ['2.0.0'] })];
    const plan = decideSubscription(facts({ subscription: one, catalogs, revisions: [works] }), expired);
    if (plan.kind !== 'resolved' || plan.decision.kind !== 'none') throw new Error('something is chosen');
    expect(plan.decision.because).toEqual([{ kind: 'effort', why: 'tooLong' }]);
    expect(isGoodEnough(one, plan.decision, works)).toBe(given.enough);
  },
);
