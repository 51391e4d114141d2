/** A reconcile of a Subscription if the API server does not answer; the decisions are tested on their own. */
import { expect, test } from 'vitest';
import { findCondition } from '../../api/conditions.ts';
import { ReasonedError } from '../../api/errors.ts';
import { FINALIZER } from '../../api/names.ts';
import { refOf } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { silentLog } from '../../kube/log.ts';
import type { EventFacts } from '../events.ts';
import type { SubscriptionDeps } from './deps.ts';
import { createSubscriptionReconciler } from './reconcile.ts';
import { NOW, subscription } from './testing/facts.ts';

const forbidden = new ReasonedError({ reason: 'Forbidden', retry: 'backoff', message: 'may not get clusterversions' });
const key = { namespace: 'ops', name: 'gadget' };

function setUp(given: Subscription): { cluster: FakeCluster; events: EventFacts[]; run: () => Promise<unknown> } {
  const cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  const { deletionTimestamp, ...metadata } = given.metadata;
  cluster.put({ ...given, metadata });
  if (deletionTimestamp !== undefined)
    cluster.change(refOf(given), (object) => ({ ...object, metadata: { ...object.metadata, deletionTimestamp } }));
  const events: EventFacts[] = [];
  const reconcile = createSubscriptionReconciler({
    caches: {
      subscriptions: { get: () => cluster.objects().find(({ kind }) => kind === 'Subscription'), list: () => [] },
      revisions: { get: () => undefined, byIndex: () => [] },
      catalogs: { list: () => [] },
      content: { get: () => undefined },
      namespaces: { get: () => undefined },
    },
    cluster,
    server: { get: () => Promise.reject(forbidden) },
    record: (_regarding: unknown, event: EventFacts) => void events.push(event),
    now: () => NOW,
    decisionSeconds: 5,
  } as unknown as SubscriptionDeps);
  return { cluster, events, run: () => reconcile(key, { signal: new AbortController().signal, log: silentLog }) };
}

test('the status says why nothing can be decided if the API server does not report its version', async () => {
  const { cluster, events, run } = setUp(subscription());
  await expect(run()).rejects.toBe(forbidden);
  const { status } = cluster.objects().find(({ kind }) => kind === 'Subscription') as Subscription;
  expect(findCondition(status?.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'Forbidden' });
  expect(events).toMatchObject([{ type: 'Warning', reason: 'Forbidden' }]);
});

test('a Subscription that is deleted is released without asking the API server for its version', async () => {
  const metadata = { deletionTimestamp: '2026-05-01T11:59:00Z', finalizers: [FINALIZER] };
  const { cluster, run } = setUp(subscription({ metadata }));
  await run();
  expect(cluster.objects().filter(({ kind }) => kind === 'Subscription')).toEqual([]);
});
