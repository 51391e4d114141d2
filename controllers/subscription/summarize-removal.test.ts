import { describe, expect, test } from 'vitest';
import { findCondition } from '../../api/conditions.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Revision } from '../../api/revision.ts';
import { summarizeRemoval } from './summarize-removal.ts';
import { NOW, revision, subscription } from './testing/facts.ts';

const works = revision({ ready: true });

describe('a Subscription that is being deleted', () => {
  const leaving = subscription({ metadata: { deletionTimestamp: 'x' } });
  /** A Revision that is being deleted; its condition is of the generation 1. */
  const going = (reason: Reason, generation = 1): Revision => {
    const one = revision({ ready: false, reason, deleted: true });
    return { ...one, metadata: { ...one.metadata, generation } };
  };

  test('the status of a removal has the full message of the Revision', () => {
    const status = summarizeRemoval(leaving, { revisions: [going('Forbidden')], waitsFor: [], now: NOW });
    expect(findCondition(status.conditions, 'Ready')?.message).toBe('as it says');
  });

  test('the status of a removal has no time of a window: no upgrade starts in it', () => {
    const waiting = { ...leaving, status: { nextEligibleTime: '2026-05-02T02:00:00Z' } };
    const status = summarizeRemoval(waiting, { revisions: [works], waitsFor: [], now: NOW });
    expect(status.nextEligibleTime).toBeUndefined();
  });

  test('a removal that waits for many Subscriptions names some of them, and counts the others', () => {
    const waitsFor = Array.from({ length: 7 }, (_, at) => ({ key: `ops/shop-${at}`, isLeaving: true }));
    const { conditions } = summarizeRemoval(leaving, { revisions: [works], waitsFor, now: NOW });
    expect(findCondition(conditions, 'Ready')?.message).toMatch(/ops\/shop-4 and 2 more$/);
  });

  test.each([
    { because: 'its objects are being deleted', waitsFor: [], revisions: [works], ready: 'False Uninstalling' },
    {
      because: 'an object cannot be deleted',
      waitsFor: [],
      revisions: [going('DeleteBlocked')],
      ready: 'False DeleteBlocked',
    },
    {
      because: 'the account lacks a right, as the Revision reports',
      waitsFor: [],
      revisions: [going('Forbidden')],
      ready: 'False Forbidden',
    },
    {
      because: 'a condition from before the removal does not count',
      waitsFor: [],
      revisions: [going('WorkloadUnhealthy', 2)],
      ready: 'False Uninstalling',
    },
    {
      because: 'a Revision that is not being deleted yet has no condition about the removal',
      waitsFor: [],
      revisions: [revision({ ready: false, reason: 'Forbidden' })],
      ready: 'False Uninstalling',
    },
    {
      because: 'the Subscription that needs it is deleted first',
      waitsFor: [{ key: 'ops/shop', isLeaving: true }],
      revisions: [works],
      ready: 'False Uninstalling',
    },
    {
      because: 'the Subscription that needs it stays',
      waitsFor: [{ key: 'ops/shop', isLeaving: false }],
      revisions: [works],
      ready: 'False DeleteBlocked',
    },
  ])('the status of a removal is $ready: $because', ({ waitsFor, revisions, ready }) => {
    const { conditions } = summarizeRemoval(leaving, { revisions, waitsFor, now: NOW });
    const { status, reason } = findCondition(conditions, 'Ready') ?? {};
    expect(`${status} ${reason}`).toBe(ready);
  });
});
