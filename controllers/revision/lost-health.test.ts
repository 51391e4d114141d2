/** A Revision that was healthy, and becomes unhealthy while objects of earlier ones wait for the end of the bake time. */
import { beforeEach, describe, expect, test } from 'vitest';
import { sample, sampleDeployment, sampleOperator } from '../../apply/testing/sample-objects.ts';
import { findCondition } from '../../api/conditions.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import { createHarness, NAMESPACE, type Harness } from './testing/harness.ts';
import { slowPods, type SlowPods } from './testing/slow-pods.ts';
import { failedOf } from '../subscription/failure.ts';

const deployment = { ...refOf(sampleDeployment('widget-manager')), namespace: NAMESPACE };
const next = [
  ...sampleOperator({ image: 'registry.example/operator:2' }).filter(({ kind }) => kind !== 'ConfigMap'),
  sample('v1', 'ConfigMap', 'widget-settings', { namespace: NAMESPACE, data: {} }),
];
let harness: Harness;
let pods: SlowPods;

const condition = (type: 'Ready' | 'Reconciling' | 'Stalled') =>
  findCondition(harness.revision(2).status?.conditions, type);
const failed = (): string | undefined => {
  const subscription = harness.cluster.objects().find(({ kind }) => kind === 'Subscription') as Subscription;
  const revisions = [harness.revision(1), harness.revision(2)];
  return failedOf({ subscription, revisions }, harness.now())?.metadata.name;
};
const has = (name: string): boolean => harness.cluster.objects().some(({ metadata }) => metadata.name === name);

/** The Pods of the Deployment are available, or not any more. */
function setAvailable(count: number): void {
  harness.cluster.change(deployment, (object: KubeObject) => ({
    ...object,
    status: { ...(object['status'] as object), availableReplicas: count, readyReplicas: count, conditions: [] },
  }));
}

beforeEach(async () => {
  pods = slowPods();
  harness = createHarness({ react: pods.react });
  harness.setSubscription({ onFailure: { bakeTime: '1h' } });
  await harness.addRevision(1, sampleOperator());
  await harness.settle(1);
  harness.setState(1, 'Archived');
  await harness.addRevision(2, next, { previous: 'widgets-1' });
  await harness.settle(2);
  expect(condition('Ready')?.status).toBe('True');
  expect(condition('Reconciling')?.message).toContain('for spec.onFailure.bakeTime');
});

describe('an upgrade with leftovers that becomes unhealthy within the bake time', () => {
  test.each([60, 1800])('an upgrade with leftovers has failed if it becomes unhealthy after %d s', async (seconds) => {
    harness.pass(seconds);
    setAvailable(0);
    await harness.settle(2);
    expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'WorkloadUnhealthy' });
    expect(condition('Stalled')).toBeUndefined();
    expect(failed()).toBeUndefined();
    harness.pass(30);
    expect(failed()).toBe('widgets-2');
  });

  test('an upgrade with leftovers that stays unhealthy has failed also after its deadline', async () => {
    setAvailable(0);
    await harness.settle(2);
    harness.pass(700);
    await harness.settle(2);
    expect(condition('Stalled')).toMatchObject({ reason: 'WorkloadUnhealthy' });
    expect(failed()).toBe('widgets-2');
  });

  test('an upgrade with leftovers that breaks while its Subscription is suspended has failed once the manager has seen it for the grace', async () => {
    const onFailure = { bakeTime: '1h' };
    harness.pass(60);
    harness.setSubscription({ onFailure, suspend: true });
    await harness.settle(2);
    expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'Suspended' });
    setAvailable(0);
    harness.pass(300);
    harness.setSubscription({ onFailure });
    await harness.settle(2);
    expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'WorkloadUnhealthy' });
    expect(failed()).toBeUndefined();
    harness.pass(30);
    expect(failed()).toBe('widgets-2');
  });

  test('an upgrade with leftovers that works after a suspension goes on as before', async () => {
    const onFailure = { bakeTime: '1h' };
    harness.setSubscription({ onFailure, suspend: true });
    await harness.settle(2);
    harness.setSubscription({ onFailure });
    await harness.settle(2);
    expect([condition('Ready')?.status, has('widget-config'), failed()]).toEqual(['True', true, undefined]);
  });

  test('an upgrade with leftovers that recovers prunes them when it has been healthy for the bake time', async () => {
    setAvailable(0);
    await harness.settle(2);
    harness.pass(60);
    setAvailable(1);
    await harness.settle(2);
    expect([condition('Ready')?.status, has('widget-config')]).toEqual(['True', true]);
    harness.pass(3601);
    await harness.settle(2);
    expect([condition('Reconciling'), has('widget-config')]).toEqual([undefined, false]);
  });
});

describe('an upgrade with leftovers that is unhealthy because of another program', () => {
  test('an upgrade whose Deployment was deleted is repaired, and has not failed', async () => {
    pods.holdBack();
    await harness.cluster.delete(deployment);
    await harness.settle(2);
    expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'Progressing' });
    expect(failed()).toBeUndefined();
  });

  test('an upgrade whose Pods a person replaces has not failed', async () => {
    harness.cluster.change(deployment, (object: KubeObject) => ({
      ...object,
      metadata: { ...object.metadata, generation: 9 },
      status: { ...(object['status'] as object), updatedReplicas: 0 },
    }));
    await harness.reconcile(2);
    expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'Progressing' });
    expect(failed()).toBeUndefined();
  });

  test('an earlier version that is applied again within its bake time has not failed while its Pods start', async () => {
    harness.setState(2, 'Archived');
    harness.setState(1, 'Active');
    pods.holdBack();
    await harness.settle(1);
    expect(findCondition(harness.revision(1).status?.conditions, 'Ready')?.status).toBe('False');
    expect(findCondition(harness.revision(1).status?.conditions, 'Ready')?.reason).not.toBe('WorkloadUnhealthy');
  });
});
