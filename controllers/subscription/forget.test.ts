/** Revisions that wait for approval, over restarts of the manager and changes of the catalog: their names and their end. */
import { describe, expect, test } from 'vitest';
import { FINALIZER } from '../../api/names.ts';
import { refOf } from '../../api/object.ts';
import { sampleCrd } from '../../apply/testing/sample-objects.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import type { EventFacts } from '../events.ts';
import type { SubscriptionDeps } from './deps.ts';
import { revision, subscription } from './testing/facts.ts';
import { IMAGE, MAIN, offering, reconcileOf, revisionsOf } from './testing/one-image.ts';

const waiting = revision({ number: 2, version: '1.1.0', image: IMAGE, state: 'Archived', approved: false });

/** 1.0.0 is installed, and 1.1.0 waits for approval as gadget-2. */
function clusterOf(): FakeCluster {
  const installed = { bundle: 'gadget.v1.0.0', version: '1.0.0', image: IMAGE, catalog: 'main', revision: 'gadget-1' };
  const pending = { revision: 'gadget-2', bundle: 'gadget.v1.1.0', version: '1.1.0', reason: 'ApprovalRequired' };
  const cluster = createFakeCluster({});
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  cluster.put(sampleCrd('Revision', { group: 'slipway.dev' }));
  const status = { installed, pending };
  cluster.put(subscription({ spec: { approval: 'Manual' }, status, metadata: { finalizers: [FINALIZER] } }));
  cluster.put(revision({ ready: true, image: IMAGE }));
  cluster.put(waiting);
  return cluster;
}

/** Reconciles until nothing more is done; returns the events. */
async function reconcile(cluster: FakeCluster, caches: SubscriptionDeps['caches']): Promise<readonly EventFacts[]> {
  const events: EventFacts[] = [];
  const record = (_one: unknown, event: EventFacts): void => void events.push(event);
  const run = reconcileOf(cluster, { caches, record, catalogOf: () => MAIN });
  for (let round = 0; round < 4; round += 1) await run();
  return events;
}

const offers = (cluster: FakeCluster, ...versions: readonly string[]): SubscriptionDeps['caches'] =>
  offering(cluster, { versions, image: IMAGE });
const names = (cluster: FakeCluster): readonly string[] =>
  revisionsOf(cluster)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata, spec }) => `${metadata.name} ${spec.version}`);

describe('a Revision that waits for approval', () => {
  test('is still there when the manager restarts and has not read the catalog yet', async () => {
    const cluster = clusterOf();
    const unread = { ...offers(cluster, '1.0.0', '1.1.0'), content: { get: () => undefined } };
    await reconcile(cluster, unread);
    expect(names(cluster)).toEqual(['gadget-1 1.0.0', 'gadget-2 1.1.0']);
    await reconcile(cluster, offers(cluster, '1.0.0', '1.1.0'));
    expect(names(cluster)).toEqual(['gadget-1 1.0.0', 'gadget-2 1.1.0']);
  });

  test('is deleted with one event once the catalog offers its bundle no longer, and its name is not given again', async () => {
    const cluster = clusterOf();
    const events = await reconcile(cluster, offers(cluster, '1.0.0'));
    expect(events.map(({ reason }) => reason)).toEqual(['Superseded']);
    expect(names(cluster)).toEqual(['gadget-1 1.0.0']);
    const gone = revisionsOf(cluster).find(({ metadata }) => metadata.name === 'gadget-2');
    if (gone !== undefined)
      cluster.change(refOf(gone), (one) => ({ ...one, metadata: { ...one.metadata, finalizers: [] } }));
    await reconcile(cluster, offers(cluster, '1.0.0', '1.2.0'));
    expect(names(cluster)).toEqual(['gadget-1 1.0.0', 'gadget-3 1.2.0']);
  });
});
