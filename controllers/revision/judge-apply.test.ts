import { describe, expect, test } from 'vitest';
import type { ApplyResult } from '../../apply/apply.ts';
import type { Failure } from '../../apply/api-failure.ts';
import { judgeApply, judgeHealth, judgeLostHealth, retryOf } from './judge-apply.ts';
import type { Judgement } from './judgement.ts';
import { failure, phase, ref, result, unready } from './testing/results.ts';

describe('the judgement of an apply', () => {
  const collision = failure('Collision', 'backoff', 'x belongs to y', 'Remove it');
  const unsafe = (crd: string): Failure => failure('CRDUnsafe', 'never', `${crd} is unsafe`, `Waive ${crd}`);
  const cases: readonly { given: Partial<ApplyResult>; says: Judgement; because: string }[] = [
    {
      given: { failures: [collision] },
      says: { state: 'Working', reason: 'Collision', message: 'x belongs to y. Remove it' },
      because: 'a person may resolve it, and a retry detects that',
    },
    {
      given: {
        phases: [
          phase({
            name: 'crds',
            state: 'NotReady',
            unready: [
              unready,
              {
                ref: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'x' },
                health: { state: 'Failed', reason: 'InvalidCABundle', message: 'its caBundle' },
              },
            ],
          }),
        ],
      },
      says: {
        state: 'Failed',
        reason: 'InvalidCABundle',
        message: 'CustomResourceDefinition.apiextensions.k8s.io x: its caBundle',
      },
      because: 'a kind that the API server will never serve is final',
    },
    ...(['unchanged', 'waiting'] as const).map((outcome) => ({
      given: {
        failures: [collision],
        phases: [
          phase({
            state: 'Failed' as const,
            objects: [
              { phase: 'workloads' as const, ref, outcome: 'collision' as const, failure: collision },
              { phase: 'workloads' as const, ref, outcome },
            ],
          }),
        ],
      },
      says: {
        state: 'Working' as const,
        reason: 'Collision' as const,
        message: `x belongs to y. Remove it${outcome === 'waiting' ? '' : '. The other objects (1) are kept as they should be'}`,
      },
      because: `the other object is ${outcome}`,
    })),
    {
      given: { failures: [unsafe('a'), unsafe('b')] },
      says: {
        state: 'Failed',
        reason: 'CRDUnsafe',
        message: 'a is unsafe; b is unsafe. Waive a. Waive b',
      },
      because: 'each failure of the reason is named, and no retry cures them',
    },
    {
      given: { failures: [collision, unsafe('a')] },
      says: { state: 'Failed', reason: 'CRDUnsafe', message: 'a is unsafe. Waive a (and 1 more)' },
      because: 'a final failure comes before one that a retry may cure',
    },
    {
      given: { failures: ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => failure('Forbidden', 'backoff', name)) },
      says: { state: 'Working', reason: 'Forbidden', message: 'a; b; c; d; e (and 2 more)' },
      because: 'a sentence has an end',
    },
    {
      given: { state: 'Complete', phases: [phase({ objects: [{ phase: 'workloads', ref, outcome: 'created' }] })] },
      says: { state: 'Ready', reason: 'Succeeded', message: '1 objects are applied and healthy' },
      because: 'all objects are healthy',
    },
    {
      given: { phases: [phase(), phase({ state: 'NotReady', unready: [unready] })] },
      says: {
        state: 'Working',
        reason: 'Progressing',
        message: 'Deployment.apps ops/manager: 0 of 1 replicas are available',
      },
      because: 'the roll-out waits for the first object that is not healthy',
    },
    {
      given: {
        phases: [
          phase({
            state: 'Waiting',
            objects: [{ phase: 'workloads', ref, outcome: 'waiting', message: 'phase crds comes first' }],
          }),
        ],
      },
      says: { state: 'Working', reason: 'Progressing', message: 'phase crds comes first' },
      because: 'a phase that has not begun has a message',
    },
    {
      given: { phases: [phase({ name: 'crds', state: 'NotReady' })] },
      says: { state: 'Working', reason: 'Progressing', message: 'Phase crds is under way' },
      because: 'no object has a message',
    },
  ];

  test.each(cases)('the judgement is $says.state for $says.reason, because $because', ({ given, says }) => {
    expect(judgeApply(result(given))).toEqual(says);
  });

  test.each([
    { retries: [], retry: undefined, because: 'nothing failed' },
    { retries: ['never'], retry: undefined, because: 'nothing changes by itself' },
    { retries: ['never', 'backoff'], retry: 'backoff', because: 'a retry may cure one of them' },
    {
      retries: ['backoff', { afterSeconds: 7 }],
      retry: { afterSeconds: 7 },
      because: 'a requested time counts',
    },
  ] as const)('$retries are retried $retry, because $because', ({ retries, retry }) => {
    expect(retryOf(retries.map((each) => failure('ApplyFailed', each, '')))).toEqual(retry);
  });
});

describe('the judgement of an apply that found a Revision as it was when it was healthy', () => {
  const workloads = (fields: Parameters<typeof phase>[0]): Partial<ApplyResult> => ({
    phases: [phase({ state: 'NotReady', unready: [unready], ...fields })],
  });
  const binding = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', name: 'manager' };
  const cases: readonly { given: Partial<ApplyResult>; reason: Judgement['reason']; because: string }[] = [
    {
      given: workloads({ objects: [{ phase: 'workloads', ref, outcome: 'unchanged' }] }),
      reason: 'WorkloadUnhealthy',
      because: 'nothing was written, and a Deployment does not work',
    },
    {
      given: workloads({ objects: [{ phase: 'admission', ref, outcome: 'waiting' }] }),
      reason: 'WorkloadUnhealthy',
      because: 'the phases after it only wait',
    },
    {
      given: workloads({ objects: [{ phase: 'workloads', ref, outcome: 'configured' }] }),
      reason: 'Progressing',
      because: 'a repair may have replaced its Pods',
    },
    {
      given: workloads({ objects: [{ phase: 'configuration', ref, outcome: 'created' }] }),
      reason: 'Progressing',
      because: 'it may have needed the object that was deleted',
    },
    {
      given: { ...workloads({}), failures: [failure('Forbidden', 'backoff', 'no')] },
      reason: 'Forbidden',
      because: 'the failure may be the cause',
    },
    {
      given: workloads({ unready: [{ ref, health: { state: 'Unknown', message: 'no answer' } }] }),
      reason: 'Progressing',
      because: 'the API server did not show its status',
    },
    {
      given: workloads({ unready: [{ ref: binding, health: { state: 'Progressing', message: 'not known yet' } }] }),
      reason: 'Progressing',
      because: 'a binding has no health',
    },
    { given: { state: 'Complete' }, reason: 'Succeeded', because: 'everything works' },
  ];

  test.each(cases)('a Revision that was healthy gets the reason $reason, because $because', ({ given, reason }) => {
    expect(judgeLostHealth(result(given)).reason).toBe(reason);
  });
});

describe('the health of a Revision that was fully applied before', () => {
  test('the health names the first object that is not healthy', () => {
    expect(judgeHealth([unready, { ...unready, ref: { ...ref, name: 'other' } }], 4)).toEqual({
      state: 'Working',
      reason: 'WorkloadUnhealthy',
      message: 'Deployment.apps ops/manager: 0 of 1 replicas are available',
    });
  });

  test('the health is Ready if all objects are healthy', () => {
    expect(judgeHealth([], 4)).toMatchObject({ state: 'Ready', message: '4 objects are applied and healthy' });
  });
});
