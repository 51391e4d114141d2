/** Upgrades that the installed operator itself holds back by its OperatorCondition. */
import { describe, expect, test } from 'vitest';
import { findCondition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { conditionToRead } from './condition-to-read.ts';
import type { Action } from './action.ts';
import { decideSubscription, type ResolvedPlan } from './decide.ts';
import { eventsOf } from './events.ts';
import { lookAgain } from './look-again.ts';
import type { SubscriptionFacts } from './observe.ts';
import { refusalIn } from './operator-condition.ts';
import { summarizePlan } from './summarize.ts';
import { catalog, facts, NOW, revision, subscription } from './testing/facts.ts';

const REF = {
  apiVersion: 'operators.coreos.com/v2',
  kind: 'OperatorCondition',
  namespace: 'ops',
  name: 'gadget.v1.0.0',
};
const two = [catalog({ versions: ['1.0.0', '1.1.0'] })];

interface Written {
  readonly spec?: object;
  readonly status?: object;
  readonly generation?: number;
}

function condition({ generation = 3, ...content }: Written): KubeObject {
  const { apiVersion, kind, namespace, name } = REF;
  return { apiVersion, kind, metadata: { name, namespace, generation }, ...content };
}

const says = (status: string, more: object = {}): object => ({
  type: 'Upgradeable',
  status,
  reason: 'Migrating',
  message: 'a migration runs',
  ...more,
});

describe('an OperatorCondition', () => {
  test.each<{ because: string; written: Written | undefined; holds: boolean }>([
    { because: 'it does not exist', written: undefined, holds: false },
    { because: 'the operator has reported nothing', written: { spec: {} }, holds: false },
    { because: 'the operator reports True', written: { spec: { conditions: [says('True')] } }, holds: false },
    { because: 'the operator reports Unknown', written: { spec: { conditions: [says('Unknown')] } }, holds: false },
    { because: 'the operator reports False', written: { spec: { conditions: [says('False')] } }, holds: true },
    {
      because: 'another condition than Upgradeable is False',
      written: { spec: { conditions: [says('False', { type: 'Degraded' })] } },
      holds: false,
    },
    {
      because: 'its spec was written for an older generation, as every write of it is',
      written: { spec: { conditions: [says('False', { observedGeneration: 2 })] } },
      holds: true,
    },
    {
      because: 'an operator of v1 reports False in its status',
      written: { status: { conditions: [says('False', { observedGeneration: 3 })] } },
      holds: true,
    },
    {
      because: 'an operator of v1 reports False without a generation',
      written: { status: { conditions: [says('False')] } },
      holds: true,
    },
    {
      because: 'the status is about an older generation, so nothing is known',
      written: { status: { conditions: [says('True', { observedGeneration: 2 })] } },
      holds: true,
    },
    {
      because: 'the spec is newer than the status, which OLM copies from it',
      written: {
        spec: { conditions: [says('True')] },
        status: { conditions: [says('False', { observedGeneration: 2 })] },
      },
      holds: false,
    },
    {
      because: 'a person overrides it',
      written: { spec: { conditions: [says('False')], overrides: [says('True')] } },
      holds: false,
    },
    {
      because: 'a person overrides an outdated status',
      written: {
        spec: { overrides: [says('True')] },
        status: { conditions: [says('True', { observedGeneration: 1 })] },
      },
      holds: false,
    },
    {
      because: 'a person holds it by an override',
      written: { spec: { conditions: [says('True')], overrides: [says('False')] } },
      holds: true,
    },
    {
      because: 'an override is of another type',
      written: { spec: { conditions: [says('False')], overrides: [says('True', { type: 'Degraded' })] } },
      holds: true,
    },
    { because: 'its content is no condition at all', written: { spec: { conditions: 'x' }, status: [] }, holds: false },
  ])('holds upgrades: $holds, if $because', ({ written, holds }) => {
    expect(refusalIn(written && condition(written)) !== undefined).toBe(holds);
  });

  test('long words of an operator are cut', () => {
    const long = condition({ spec: { conditions: [says('False', { message: 'x'.repeat(30_000) })] } });
    expect(refusalIn(long)?.length).toBeLessThan(2000);
  });
});

const entry = { ...REF, uid: 'c', hash: 'h' };

function installed(parts: Parameters<typeof revision>[0] = {}, inventory: readonly object[] = [entry]): Revision {
  const one = revision({ ready: true, ...parts });
  return { ...one, status: { ...one.status, inventory } } as Revision;
}

const held = condition({ spec: { conditions: [says('False')] } });
const waiting = revision({ number: 2, version: '1.1.0', state: 'Archived', approved: false });

function decided(given: Partial<SubscriptionFacts>): ResolvedPlan {
  const plan = decideSubscription(facts({ catalogs: two, ...given }));
  if (plan.kind !== 'resolved') throw new Error(plan.kind);
  return plan;
}

function inWords(action: Action): string {
  if (action.do === 'await') return `await: ${action.hold.reason}`;
  if (action.do === 'create') return `create: ${action.hold?.reason ?? 'free'}`;
  return action.do;
}

describe('an upgrade of an operator that reports Upgradeable=False', () => {
  test.each<{ because: string; given: Partial<SubscriptionFacts>; expected: string }>([
    {
      because: 'the Revision is prepared meanwhile',
      given: { revisions: [installed()], operatorCondition: held },
      expected: 'create: OperatorNotUpgradeable',
    },
    {
      because: 'the prepared Revision is not made active',
      given: { revisions: [installed(), waiting], operatorCondition: held },
      expected: 'await: OperatorNotUpgradeable',
    },
    {
      because: 'it reports otherwise now',
      given: {
        revisions: [installed(), waiting],
        operatorCondition: condition({ spec: { conditions: [says('True')] } }),
      },
      expected: 'activate',
    },
    {
      because: 'the object is deleted',
      given: { revisions: [installed(), waiting], operatorCondition: undefined },
      expected: 'activate',
    },
    {
      because: 'a person has approved the Revision, but not overridden the operator',
      given: {
        subscription: subscription({ spec: { approval: 'Manual' } }),
        revisions: [installed(), { ...waiting, spec: { ...waiting.spec, approved: true } }],
        operatorCondition: held,
      },
      expected: 'await: OperatorNotUpgradeable',
    },
    {
      because: 'the missing approval comes first',
      given: {
        subscription: subscription({ spec: { approval: 'Manual' } }),
        revisions: [installed(), waiting],
        operatorCondition: held,
      },
      expected: 'await: ApprovalRequired',
    },
    {
      because: 'a crash has left no Revision active, and the one that works serves again',
      given: { revisions: [installed({ state: 'Archived' }), waiting], operatorCondition: held },
      expected: 'activate',
    },
  ])('$expected: $because', ({ given, expected }) => {
    expect(inWords(decided(given).action)).toBe(expected);
  });

  test('a rollback does not ask the version that failed', () => {
    const failed = installed({ number: 2, version: '1.1.0', ready: false, reason: 'WorkloadUnhealthy', stalled: true });
    const before = installed({ state: 'Archived' });
    const plan = decided({ revisions: [before, failed], operatorCondition: held });
    expect(inWords(plan.action)).toBe('activate');
    expect(conditionToRead(plan, [before, failed])).toBeUndefined();
  });
});

describe('a version that was tried in vain', () => {
  const catalogs = [catalog({ versions: ['1.0.0', '1.2.0'] })];
  const before = installed({ state: 'Archived' });
  const image = `registry.example/gadget@sha256:${'b'.repeat(64)}`;
  const tried = revision({ number: 2, version: '1.1.0', image, reason: 'Forbidden', reconciling: true });
  const inVain = { catalogs, revisions: [before, tried] };
  const third = revision({ number: 3, version: '1.2.0', state: 'Archived' });

  test('leaves the operator that runs its say about the next one', () => {
    expect(conditionToRead(decided(inVain), inVain.revisions)).toEqual(REF);
  });

  test('leaves the next one waiting for the operator that runs', () => {
    const revisions = [...inVain.revisions, third];
    expect(inWords(decided({ ...inVain, revisions, operatorCondition: held }).action)).toBe(
      'await: OperatorNotUpgradeable',
    );
  });

  test('takes the say from it once it has noted an object', () => {
    const begun = { ...tried, status: { ...tried.status, inventory: [entry] } } as Revision;
    const revisions = [before, begun];
    expect(conditionToRead(decided({ ...inVain, revisions }), revisions)).toBeUndefined();
  });
});

describe('the OperatorCondition is read', () => {
  const asked = (given: Partial<SubscriptionFacts>): unknown => conditionToRead(decided(given), given.revisions ?? []);
  test('before an upgrade, and while one waits', () => {
    expect(asked({ revisions: [installed()] })).toEqual(REF);
    expect(asked({ revisions: [installed(), waiting] })).toEqual(REF);
  });

  test.each<{ because: string; given: Partial<SubscriptionFacts> }>([
    { because: 'nothing is installed', given: {} },
    { because: 'the operator has none', given: { revisions: [installed({}, [])] } },
    {
      because: 'the object is a leftover of an earlier version',
      given: { revisions: [installed({}, [{ ...entry, leftover: true }])] },
    },
    { because: 'no upgrade is due', given: { revisions: [installed()], catalogs: [catalog({ versions: ['1.0.0'] })] } },
    {
      because: 'only the configuration changes',
      given: {
        subscription: subscription({ spec: { certificates: 'CertManager' } }),
        revisions: [installed()],
        catalogs: [catalog({ versions: ['1.0.0'] })],
      },
    },
  ])('never if $because', ({ given }) => {
    expect(asked(given)).toBeUndefined();
  });
});

describe('the wait is reported', () => {
  const plan = decided({ revisions: [installed(), waiting], operatorCondition: held });
  const status = summarizePlan(subscription(), plan, { now: NOW });

  test('by the reason of the pending version', () => {
    expect(status.pending).toMatchObject({ version: '1.1.0', reason: 'OperatorNotUpgradeable' });
  });

  test("by the condition, with the operator's words and the command that overrides it", () => {
    const told = findCondition(status.conditions, 'UpgradeAvailable');
    expect(told).toMatchObject({ status: 'True', reason: 'OperatorNotUpgradeable' });
    expect(told?.message).toContain('Migrating: a migration runs');
    expect(told?.message).toContain('kubectl -n ops patch operatorconditions.operators.coreos.com gadget.v1.0.0');
  });

  test('the installed version is Ready, and no work is under way', () => {
    expect(findCondition(status.conditions, 'Ready')?.status).toBe('True');
    expect(findCondition(status.conditions, 'Ready')?.message).toContain('a migration runs');
    expect(findCondition(status.conditions, 'Reconciling')).toBeUndefined();
  });

  test('by one event', () => {
    expect(eventsOf(undefined, status).map(({ reason }) => reason)).toContain('OperatorNotUpgradeable');
    expect(eventsOf(status, status)).toEqual([]);
  });

  test('the object is read again after a while, also if no watch reports its change', () => {
    expect(lookAgain(plan, NOW)).toEqual({ requeueAfterSeconds: 60 });
  });
});
