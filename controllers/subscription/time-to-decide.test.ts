/** A decision ends in time for the manager to renew its lease. */
import { expect, test } from 'vitest';
import { findCondition } from '../../api/conditions.ts';
import type { Subscription } from '../../api/subscription.ts';
import { leaseTimings } from '../../kube/election/lease-record.ts';
import { createFakeCluster } from '../../kube/testing/fake-cluster.ts';
import { NOW, subscription } from './testing/facts.ts';
import { IMAGE, MAIN, offering, reconcileOf } from './testing/one-image.ts';
import { secondsToDecide } from './time-to-decide.ts';

test.each([
  { leaseSeconds: 15, seconds: 5, because: 'half of the 10 seconds for a renewal' },
  { leaseSeconds: 6, seconds: 2, because: 'a short lease is renewed sooner' },
  { leaseSeconds: 300, seconds: 5, because: 'a long lease does not make the manager answer its probes later' },
])('with a lease of $leaseSeconds s a decision may take $seconds s: $because', ({ leaseSeconds, seconds }) => {
  expect(secondsToDecide(leaseTimings(leaseSeconds))).toBeCloseTo(seconds);
});

/** The reason of Ready after a reconcile whose clock goes on by a second at each look. */
async function readyAfter(decisionSeconds: number): Promise<string | undefined> {
  const cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  cluster.put(subscription());
  let at = NOW.getTime();
  const now = (): Date => new Date((at += 1000));
  const caches = offering(cluster, { versions: ['1.0.0'], image: IMAGE });
  await reconcileOf(cluster, { caches, now, decisionSeconds, catalogOf: () => MAIN })();
  const { status } = cluster.objects().find(({ kind }) => kind === 'Subscription') as Subscription;
  return findCondition(status?.conditions, 'Ready')?.reason;
}

test.each([
  { decisionSeconds: 0.5, because: 'the time is up', ready: 'ResolutionFailed' },
  { decisionSeconds: 3600, because: 'the time suffices', ready: 'Installing' },
])('a decision ends after its time, and reports $ready: $because', async ({ decisionSeconds, ready }) => {
  expect(await readyAfter(decisionSeconds)).toBe(ready);
});
