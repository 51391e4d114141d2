import { describe, expect, test } from 'vitest';
import { refOf } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import { createFakeCluster } from '../../kube/testing/fake-cluster.ts';
import type { EventFacts } from '../events.ts';
import { uninstall } from './remove.ts';
import { facts, NOW, revision, subscription } from './testing/facts.ts';

const installed = {
  bundle: 'gadget.v1.0.0',
  version: '1.0.0',
  image: `registry.example/gadget@sha256:${'a'.repeat(64)}`,
  catalog: 'main',
  revision: 'gadget-1',
};

/** The events of the last step of an uninstall, which began so many seconds ago. */
async function eventsAfter(seconds: number, status: object, spec: object = {}): Promise<readonly EventFacts[]> {
  const deletionTimestamp = new Date(NOW.getTime() - seconds * 1000).toISOString();
  const leaving = subscription({ metadata: { deletionTimestamp, finalizers: ['slipway.dev/cleanup'] }, spec, status });
  const cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  cluster.put(leaving);
  const events: EventFacts[] = [];
  const record = (_regarding: unknown, event: EventFacts): void => void events.push(event);
  await uninstall({ cluster, record }, facts({ subscription: leaving, revisions: [] }), NEVER);
  return events;
}

test('the end of an uninstall is one event, with the bundle and how long it took', async () => {
  expect(await eventsAfter(17, { installed })).toEqual([
    {
      type: 'Normal',
      reason: 'Uninstalling',
      action: 'Remove',
      note: 'gadget.v1.0.0 is uninstalled, after 17 s; each object that stays has an event of its own',
    },
  ]);
});

test('objects that stay are released, and not uninstalled', async () => {
  const [event] = await eventsAfter(2, { installed }, { uninstall: { objects: 'Orphan' } });
  expect(event?.note).toBe('gadget.v1.0.0 is released: its objects stay, and Slipway manages them no longer');
});

test('the clock of the API server may be ahead: no time is negative', async () => {
  const [event] = await eventsAfter(-3, { installed });
  expect(event?.note).toContain('gadget.v1.0.0 is uninstalled, after 0 s;');
});

test('a Subscription that had nothing installed ends without an event', async () => {
  expect(await eventsAfter(1, {})).toEqual([]);
});

test('no event says that an operator is uninstalled while a Revision is left', async () => {
  const deletionTimestamp = NOW.toISOString();
  const leaving = subscription({ metadata: { deletionTimestamp }, status: { installed } });
  const cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  cluster.put(leaving);
  const events: EventFacts[] = [];
  const record = (_regarding: unknown, event: EventFacts): void => void events.push(event);
  await uninstall(
    { cluster, record },
    facts({ subscription: leaving, revisions: [revision({ deleted: true })] }),
    NEVER,
  );
  expect(events).toEqual([]);
});

describe('objects of the program that the operator was adopted from', () => {
  const finalizers = ['slipway.dev/cleanup'];
  test.each([
    { because: 'the last Revision is gone', revisions: [], metadata: { finalizers }, ended: ['held'] },
    {
      because: 'a Revision still removes its objects',
      revisions: [revision({ deleted: true })],
      metadata: { finalizers },
      ended: [],
    },
    { because: 'the Subscription was released already', revisions: [], metadata: {}, ended: [] },
  ])('$because', async ({ revisions, metadata, ended }) => {
    const leaving = subscription({ metadata: { deletionTimestamp: NOW.toISOString(), ...metadata } });
    const cluster = createFakeCluster();
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
    cluster.put(leaving);
    const states: string[] = [];
    const endAdoption = async (): Promise<void> => {
      const live = await cluster.get(refOf(leaving));
      states.push(live?.metadata.finalizers?.length === 1 ? 'held' : 'released');
    };
    await uninstall(
      { cluster, record: () => undefined, endAdoption },
      facts({ subscription: leaving, revisions }),
      NEVER,
    );
    expect(states).toEqual(ended);
  });
});
