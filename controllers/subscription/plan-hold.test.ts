/** Decisions about Revisions whose plan is asked for: by an upgrade policy, or by an approval of the Subscription. */
import { describe, expect, test } from 'vitest';
import { findCondition } from '../../api/conditions.ts';
import type { PlanRecord } from '../../api/revision-plan.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { UpgradePolicy } from '../../api/upgrade-policy.ts';
import { planInputs } from '../plan-inputs.ts';
import type { PolicyInForce } from '../upgrade-policy.ts';
import type { Action } from './action.ts';
import { decideSubscription, type ResolvedPlan } from './decide.ts';
import { eventsOf } from './events.ts';
import type { SubscriptionFacts } from './observe.ts';
import { summarizePlan } from './summarize.ts';
import { catalog, facts, NOW, revision, subscription } from './testing/facts.ts';

const HASH = `sha256:${'1'.repeat(64)}`;
const OTHER = `sha256:${'2'.repeat(64)}`;
const policy: PolicyInForce = {
  policy: UpgradePolicy.parse({ automatic: 'Minor', rights: 'MayNotGrow' }) as UpgradePolicy,
};
const two = [catalog({ versions: ['1.0.0', '1.1.0'] })];
const works = revision({ ready: true });
const OUTSIDE = [{ rule: 'rights', message: 'the operator may read Secrets in every namespace' }];

interface Parts {
  readonly spec?: object;
  /** Of the waiting Revision; absent: it has none. */
  readonly plan?: Partial<PlanRecord>;
  readonly approved?: boolean;
  readonly policy?: PolicyInForce | undefined;
  readonly active?: Revision | undefined;
  /** For another Subscription than the present one. */
  readonly isOld?: boolean;
}

/** 1.0.0 is installed, and the Revision of 1.1.0 waits. */
function waiting(parts: Parts): SubscriptionFacts {
  const wanted = subscription({ spec: parts.spec ?? {} });
  const active = 'active' in parts ? parts.active : works;
  const inForce = 'policy' in parts ? parts.policy : policy;
  const bare = revision({ number: 2, version: '1.1.0', state: 'Archived', approved: parts.approved ?? false });
  const inputs = planInputs({ subscription: wanted, active, next: bare, policy: inForce });
  const plan = parts.plan && { inputs: parts.isOld === true ? 'old' : inputs, ...parts.plan };
  const next = plan === undefined ? bare : { ...bare, status: { ...bare.status, plan } };
  return facts({
    subscription: wanted,
    revisions: [...(active === undefined ? [] : [active]), next],
    catalogs: two,
    policy: inForce,
  });
}

const failure = { reason: 'ObjectInvalid', message: 'a Service is invalid', since: '2026-05-01T11:00:00Z' };

/** The Revision of 1.1.0 was tried before. */
function thatFailed(given: SubscriptionFacts): SubscriptionFacts {
  const revisions = given.revisions.map((one) =>
    one.spec.version === '1.1.0' ? { ...one, status: { ...one.status, failure } } : one,
  );
  return { ...given, revisions };
}

/** 1.0.5 was tried before, and failed. */
function besideFailed(given: SubscriptionFacts): SubscriptionFacts {
  const tried = revision({ number: 3, version: '1.0.5', state: 'Archived' });
  return { ...given, revisions: [...given.revisions, { ...tried, status: { ...tried.status, failure } }] };
}

function decided(given: SubscriptionFacts): ResolvedPlan {
  const plan = decideSubscription(given);
  if (plan.kind !== 'resolved') throw new Error(plan.kind);
  return plan;
}

function inWords(action: Action): string {
  if (action.do === 'await') return `await: ${action.hold.reason}`;
  if (action.do === 'create') return `create: ${action.hold?.reason ?? 'free'}`;
  return action.do;
}

const wordsFor = (given: SubscriptionFacts): string => inWords(decided(given).action);

describe('under an upgrade policy', () => {
  test.each<{ because: string; given: SubscriptionFacts; expected: string }>([
    {
      because: 'the Revision must exist before it has a plan',
      given: facts({ revisions: [works], catalogs: two, policy }),
      expected: 'create: Planning',
    },
    {
      because: 'a first installation is no upgrade',
      given: facts({ policy }),
      expected: 'create: free',
    },
    {
      because: 'no policy asks for a plan',
      given: facts({ revisions: [works], catalogs: two }),
      expected: 'create: free',
    },
    { because: 'its plan is not known yet', given: waiting({}), expected: 'await: Planning' },
    {
      because: 'its plan was made for another policy or approval',
      given: waiting({ plan: { hash: HASH }, isOld: true }),
      expected: 'await: Planning',
    },
    {
      because: 'its plan cannot be made, and not known is not harmless',
      given: waiting({ plan: { problem: 'the manifests are gone' } }),
      expected: 'await: PlanFailed',
    },
    { because: 'its plan is inside', given: waiting({ plan: { hash: HASH } }), expected: 'activate' },
    {
      because: 'its plan is outside',
      given: waiting({ plan: { hash: HASH, heldBy: OUTSIDE } }),
      expected: 'await: AwaitingApproval',
    },
    {
      because: 'a person has approved the Revision',
      given: waiting({ plan: { hash: HASH, heldBy: OUTSIDE }, approved: true }),
      expected: 'activate',
    },
    {
      because: 'the Subscription approves this plan',
      given: waiting({ spec: { approve: { version: '1.1.0', plan: HASH } }, plan: { hash: HASH, heldBy: OUTSIDE } }),
      expected: 'activate',
    },
    {
      because: 'the Subscription approves another plan',
      given: waiting({ spec: { approve: { version: '1.1.0', plan: OTHER } }, plan: { hash: HASH, heldBy: OUTSIDE } }),
      expected: 'await: ApprovalVoid',
    },
    {
      because: 'the Subscription approves another version',
      given: waiting({ spec: { approve: { version: '1.2.0', plan: HASH } }, plan: { hash: HASH, heldBy: OUTSIDE } }),
      expected: 'await: ApprovalVoid',
    },
    {
      because: 'the approval is that of the version that runs',
      given: waiting({ spec: { approve: { version: '1.0.0', plan: OTHER } }, plan: { hash: HASH, heldBy: OUTSIDE } }),
      expected: 'await: AwaitingApproval',
    },
    {
      because: 'the approval is that of a version that failed before it was healthy',
      given: besideFailed(
        waiting({ spec: { approve: { version: '1.0.5', plan: OTHER } }, plan: { hash: HASH, heldBy: OUTSIDE } }),
      ),
      expected: 'await: AwaitingApproval',
    },
    {
      because: 'the approval is of another plan of a version that failed, and is tried again',
      given: thatFailed(
        waiting({ spec: { approve: { version: '1.1.0', plan: OTHER } }, plan: { hash: HASH, heldBy: OUTSIDE } }),
      ),
      expected: 'await: ApprovalVoid',
    },
    {
      because: 'an approval of another version is not needed for an upgrade inside of the policy',
      given: waiting({ spec: { approve: { version: '1.2.0', plan: OTHER } }, plan: { hash: HASH } }),
      expected: 'activate',
    },
  ])('$expected: $because', ({ given, expected }) => {
    expect(wordsFor(given)).toBe(expected);
  });

  test.each([
    { approval: 'Automatic', plan: HASH, expected: 'activate', because: 'it names the plan' },
    { approval: 'Manual', plan: HASH, expected: 'activate', because: 'it names the plan' },
    { approval: 'Automatic', plan: OTHER, expected: 'await: AwaitingApproval', because: 'it names the plan of then' },
    { approval: 'Manual', plan: OTHER, expected: 'await: ApprovalRequired', because: 'it names the plan of then' },
  ])(
    '$expected: $approval approval of a version that was installed once, as $because',
    ({ approval, plan, expected }) => {
      const given = waiting({
        spec: { approval, approve: { version: '1.1.0', plan } },
        plan: { hash: HASH, heldBy: OUTSIDE },
      });
      const once = revision({ number: 5, version: '1.1.0', configHash: 'of then', ready: true, state: 'Archived' });
      expect(wordsFor({ ...given, revisions: [once, ...given.revisions] })).toBe(expected);
    },
  );

  test('a new configuration of the installed version is not judged', () => {
    const given = facts({
      subscription: subscription({ spec: { config: { replicas: 2 } } }),
      revisions: [works],
      policy,
    });
    expect(wordsFor(given)).toBe('create: free');
  });

  test('a bundle that was published again under its name is judged', () => {
    const again = { ...catalog({ versions: ['1.0.0'] }) };
    const image = `registry.example/gadget@sha256:${'b'.repeat(64)}`;
    const content = again.content('gadget');
    const bundles = (content?.bundles ?? []).map((one) => ({ ...one, image }));
    const given = facts({
      revisions: [works],
      catalogs: [{ ...again, content: () => content && { ...content, bundles } }],
      policy,
    });
    expect(wordsFor(given)).toBe('create: Planning');
  });

  test('an approval of content that was published again counts, although the version is installed', () => {
    const image = `registry.example/gadget@sha256:${'b'.repeat(64)}`;
    const wanted = subscription({ spec: { approve: { version: '1.0.0', plan: HASH } } });
    const bare = revision({ number: 2, state: 'Archived', approved: false });
    const again = { ...bare, spec: { ...bare.spec, image } };
    const inputs = planInputs({ subscription: wanted, active: works, next: again, policy });
    const next = { ...again, status: { ...again.status, plan: { inputs, hash: HASH, heldBy: OUTSIDE } } };
    const source = catalog({ versions: ['1.0.0'] });
    const content = source.content('gadget')!;
    const bundles = content.bundles.map((one) => ({ ...one, image }));
    const catalogs = [{ ...source, content: () => ({ ...content, bundles }) }];
    expect(wordsFor(facts({ subscription: wanted, revisions: [works, next], catalogs, policy }))).toBe('activate');
  });

  test('a rollback to the version that worked is not judged', () => {
    const failed = revision({ number: 2, version: '1.1.0', ready: false, reason: 'ApplyFailed', stalled: true });
    const before = revision({ ready: true, state: 'Archived' });
    const given = facts({ revisions: [before, failed], catalogs: two, policy });
    expect(inWords(decided(given).action)).toBe('activate');
  });
});

describe('with approval by hand', () => {
  const MANUAL = { approval: 'Manual' };

  test.each<{ because: string; given: SubscriptionFacts; expected: string }>([
    {
      because: 'no approval is given',
      given: waiting({ spec: MANUAL, plan: { hash: HASH } }),
      expected: 'await: ApprovalRequired',
    },
    {
      because: 'the Subscription approves this plan',
      given: waiting({ spec: { ...MANUAL, approve: { version: '1.1.0', plan: HASH } }, plan: { hash: HASH } }),
      expected: 'activate',
    },
    {
      because: 'the plan is another one by now',
      given: waiting({ spec: { ...MANUAL, approve: { version: '1.1.0', plan: HASH } }, plan: { hash: OTHER } }),
      expected: 'await: ApprovalVoid',
    },
    {
      because: 'the plan was made before the approval was given, and is made again first',
      given: waiting({
        spec: { ...MANUAL, approve: { version: '1.1.0', plan: HASH } },
        plan: { hash: HASH },
        isOld: true,
      }),
      expected: 'await: Planning',
    },
    {
      because: 'a first installation can be approved by its plan as well',
      given: waiting({
        spec: { ...MANUAL, approve: { version: '1.1.0', plan: HASH } },
        plan: { hash: HASH },
        active: undefined,
      }),
      expected: 'activate',
    },
    {
      because: 'a policy does not approve in the place of a person',
      given: waiting({ spec: { ...MANUAL, upgradePolicy: { automatic: 'All' } }, plan: { hash: HASH } }),
      expected: 'await: ApprovalRequired',
    },
  ])('$expected: $because', ({ given, expected }) => {
    expect(wordsFor(given)).toBe(expected);
  });
});

describe('the report of an upgrade that waits', () => {
  const outside = waiting({ plan: { hash: HASH, heldBy: OUTSIDE } });

  function told(given: SubscriptionFacts): Subscription['status'] {
    return summarizePlan(given.subscription, decided(given), { now: NOW });
  }

  test('the condition names the rule, the fact and the command that approves the plan', () => {
    const condition = findCondition(told(outside)?.conditions, 'UpgradeAvailable');
    expect(condition).toMatchObject({ status: 'True', reason: 'AwaitingApproval' });
    for (const part of ['rights: the operator may read Secrets', HASH, 'kubectl -n ops patch', '"version":"1.1.0"'])
      expect(condition?.message).toContain(part);
  });

  test('the column STATUS names the rule', () => {
    const ready = findCondition(told(outside)?.conditions, 'Ready');
    expect(ready).toMatchObject({ status: 'True' });
    expect(ready?.message).toContain('rights: the operator may read Secrets');
  });

  test('one event is recorded for the wait, and another when the approval is void', () => {
    const first = told(outside);
    const given = { spec: { approve: { version: '1.1.0', plan: OTHER } }, plan: { hash: HASH, heldBy: OUTSIDE } };
    const second = told(waiting(given));
    expect(eventsOf(subscription().status, first!).map(({ reason }) => reason)).toContain('AwaitingApproval');
    expect(eventsOf(first, first!)).toEqual([]);
    expect(eventsOf(first, second!)).toMatchObject([
      { reason: 'ApprovalVoid', note: expect.stringContaining(OTHER) as string },
    ]);
  });

  test('a wait for a person is no progress, a wait for the plan is', () => {
    expect(findCondition(told(outside)?.conditions, 'Reconciling')).toBeUndefined();
    expect(findCondition(told(waiting({}))?.conditions, 'Reconciling')).toMatchObject({ reason: 'Planning' });
  });

  test('several rules are named within bounds', () => {
    const heldBy = Array.from({ length: 16 }, (_, at) => ({ rule: 'rights', message: `${at}${'x'.repeat(500)}` }));
    const condition = findCondition(told(waiting({ plan: { hash: HASH, heldBy } }))?.conditions, 'UpgradeAvailable');
    expect(condition?.message).toContain('and 13 more');
    expect(condition?.message).toContain('patch');
  });
});
