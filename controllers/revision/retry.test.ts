import { beforeEach, describe, expect, test } from 'vitest';
import { sample, sampleCrd } from '../../apply/testing/sample-objects.ts';
import { findCondition } from '../../api/conditions.ts';
import type { Revision } from '../../api/revision.ts';
import { createHarness, NAMESPACE, type Harness } from './testing/harness.ts';

describe('a Revision that is rejected, with Retry', () => {
  const account = sample('v1', 'ServiceAccount', 'widget-manager', { namespace: NAMESPACE });
  const widget = sample('example.com/v1', 'Widget', 'a', { namespace: NAMESPACE, spec: { size: 1 } });
  let harness: Harness;

  beforeEach(async () => {
    harness = createHarness();
    harness.setSubscription({ onFailure: { strategy: 'Retry', progressDeadline: '2m' } });
    await harness.addRevision(1, [sampleCrd('Widget', { field: 'size' }), account]);
    await harness.settle(1);
    harness.cluster.put(widget);
    harness.setState(1, 'Archived');
    await harness.addRevision(2, [sampleCrd('Widget', { field: 'weight' }), account], { previous: 'widgets-1' });
  });

  /** Lets the time pass that each reconcile requests, and returns its seconds. */
  async function attempts(): Promise<number[]> {
    const delays: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const result = await harness.reconcile(2);
      if (result?.requeueAfterSeconds === undefined) break;
      delays.push(result.requeueAfterSeconds);
      harness.pass(result.requeueAfterSeconds);
    }
    return delays;
  }

  const conditionsOf = ({ status }: Revision): readonly (string | undefined)[] =>
    (['Ready', 'Reconciling', 'Stalled'] as const).map((type) => findCondition(status?.conditions, type)?.reason);

  test('with Retry a rejected Revision is tried with growing delays, and has failed at the deadline', async () => {
    expect(await attempts()).toEqual([5, 5, 10, 20, 40, 40]);
    expect(conditionsOf(harness.revision(2))).toEqual([
      'ProgressDeadlineExceeded',
      undefined,
      'ProgressDeadlineExceeded',
    ]);
    const before = harness.cluster.requests.length;
    expect(await harness.reconcile(2)).toBeUndefined();
    expect(harness.cluster.requests.length).toBe(before);
  });

  test('with Retry a rejected Revision is work in progress, and sends nothing between two attempts', async () => {
    await harness.reconcile(2);
    expect(conditionsOf(harness.revision(2))).toEqual(['CRDUnsafe', 'Progressing', undefined]);
    const before = harness.cluster.requests.length;
    harness.pass(2);
    expect(await harness.reconcile(2)).toEqual({ requeueAfterSeconds: 3 });
    expect(harness.cluster.requests.length).toBe(before);
  });

  test('with Retry a rejected Revision is Ready as soon as an attempt succeeds, without a watch event', async () => {
    const { requeueAfterSeconds = 0 } = (await harness.reconcile(2)) ?? {};
    await harness.cluster.delete({ apiVersion: 'example.com/v1', kind: 'Widget', namespace: NAMESPACE, name: 'a' });
    harness.pass(requeueAfterSeconds);
    await harness.settle(2);
    expect(conditionsOf(harness.revision(2))).toEqual(['Succeeded', undefined, undefined]);
  });
});
