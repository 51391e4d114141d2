import { expect, test } from 'vitest';
import type { Revision } from '../../api/revision.ts';
import { decideSubscription } from './decide.ts';
import type { SubscriptionFacts } from './observe.ts';
import { isServing, situationOf, type NewerStates, type OperatorStates } from './situation.ts';
import { catalog, facts, NOW, revision, subscription } from './testing/facts.ts';

const works = revision({ ready: true });
const before: Revision = { ...works, spec: { ...works.spec, state: 'Archived' } };
const failing = revision({ number: 2, version: '1.1.0', previous: 'gadget-1', reason: 'ObjectInvalid', stalled: true });
const unapproved = { state: 'Archived', approved: false } as const;
const two = [catalog({ versions: ['1.0.0', '1.1.0'] })];
const withdrawn = [catalog({ versions: ['1.0.0', '1.2.0'] })];
const manual = subscription({ spec: { approval: 'Manual' } });
const keepsFailed = subscription({ spec: { approval: 'Manual', onFailure: { strategy: 'Hold' } } });
const since = '2026-05-01T11:58:00Z';

/** A Subscription that remembers that 1.1.0 failed. */
function afterFailure(rolledBackTime?: string) {
  const entry = { bundle: 'gadget.v1.1.0', version: '1.1.0', reason: 'ObjectInvalid', message: 'no', since };
  return subscription({
    status: { quarantined: [{ ...entry, ...(rolledBackTime !== undefined && { rolledBackTime }) }] },
  });
}

interface Case {
  readonly because: string;
  readonly given: Partial<SubscriptionFacts>;
  readonly operator: keyof OperatorStates;
  readonly newer: keyof NewerStates;
  readonly serves?: boolean;
}

test.each<Case>([
  {
    because: 'the first Revision is to be made',
    given: {},
    operator: 'switching',
    newer: 'upToDate',
  },
  {
    because: 'the first Revision waits for approval',
    given: { subscription: manual, revisions: [revision(unapproved)] },
    operator: 'held',
    newer: 'held',
  },
  {
    because: 'no catalog has the package',
    given: { catalogs: [] },
    operator: 'refused',
    newer: 'unknown',
  },
  {
    because: 'the first Revision has no condition yet',
    given: { revisions: [revision()] },
    operator: 'unhealthy',
    newer: 'upToDate',
  },
  {
    because: 'all is as the spec requests',
    given: { revisions: [works] },
    operator: 'healthy',
    newer: 'upToDate',
    serves: true,
  },
  {
    because: 'no catalog answers, which says nothing against the installed version',
    given: { revisions: [works], catalogs: [] },
    operator: 'healthy',
    newer: 'unknown',
    serves: true,
  },
  {
    because: 'an upgrade waits for approval, and the installed version works on',
    given: {
      subscription: manual,
      revisions: [works, revision({ number: 2, version: '1.1.0', ...unapproved })],
      catalogs: two,
    },
    operator: 'healthy',
    newer: 'held',
    serves: true,
  },
  {
    because: 'an upgrade waits for approval, and the installed version has become unhealthy',
    given: {
      subscription: manual,
      revisions: [
        revision({ ready: false, reason: 'WorkloadUnhealthy', firstReadyTime: '2026-04-01T00:00:00Z' }),
        revision({ number: 2, version: '1.1.0', ...unapproved }),
      ],
      catalogs: two,
    },
    operator: 'unhealthy',
    newer: 'held',
  },
  {
    because: 'an upgrade waits for approval that the spec requires, as it excludes the installed version',
    given: {
      subscription: subscription({ spec: { approval: 'Manual', version: '1.1.0' } }),
      revisions: [works, revision({ number: 2, version: '1.1.0', ...unapproved })],
      catalogs: two,
    },
    operator: 'held',
    newer: 'held',
    serves: true,
  },
  {
    because: 'an upgrade is to be made',
    given: { revisions: [works], catalogs: two },
    operator: 'switching',
    newer: 'available',
    serves: true,
  },
  {
    because: 'an upgrade is being applied',
    given: { revisions: [before, revision({ number: 2, version: '1.1.0', previous: 'gadget-1' })], catalogs: two },
    operator: 'unhealthy',
    newer: 'available',
  },
  {
    because: 'an upgrade has just failed, so the version before is made active',
    given: { revisions: [before, failing], catalogs: two },
    operator: 'failedReplaced',
    newer: 'quarantined',
  },
  {
    because: 'the version before is being applied again',
    given: {
      subscription: afterFailure(),
      revisions: [{ ...works, status: { ...works.status, conditions: [] } }],
      catalogs: two,
    },
    operator: 'rollingBack',
    newer: 'quarantined',
  },
  {
    because: 'the version before runs again',
    given: { subscription: afterFailure('2026-05-01T11:59:00Z'), revisions: [works], catalogs: two },
    operator: 'healthy',
    newer: 'quarantined',
    serves: true,
  },
  {
    because: 'a failed upgrade is kept, as the spec requests',
    given: { subscription: keepsFailed, revisions: [before, failing], catalogs: two },
    operator: 'failed',
    newer: 'available',
  },
  {
    because: 'a failed upgrade is kept, and the version that replaces it in the catalog waits for approval',
    given: {
      subscription: keepsFailed,
      revisions: [before, failing, revision({ number: 3, version: '1.2.0', ...unapproved })],
      catalogs: withdrawn,
    },
    operator: 'failedHeld',
    newer: 'held',
  },
])('a Subscription is $operator, its newer versions $newer: $because', ({ given, operator, newer, serves = false }) => {
  const all = facts(given);
  const plan = decideSubscription(all);
  if (plan.kind !== 'resolved') throw new Error(`nothing is resolved: ${plan.kind}`);
  const situation = situationOf(all.subscription, plan, { now: NOW });
  expect(situation).toMatchObject({ operator: { kind: operator }, newer: { kind: newer } });
  expect(isServing(plan)).toBe(serves);
});
