import { describe, expect, test } from 'vitest';
import { refOf, type KubeObject } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Result } from '../../kube/controller/controller.ts';
import { createFakeCluster } from '../../kube/testing/fake-cluster.ts';
import { large, withSmallLists } from '../../kube/testing/small-lists.ts';
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

test('the end of a first roll-out that failed half-way is an event too: its objects were deleted', async () => {
  const [event] = await eventsAfter(1, { lastNumber: 1 });
  expect(event).toMatchObject({ type: 'Normal', reason: 'Uninstalling' });
});

describe('an uninstall that waits', () => {
  /** The events of a step, and of the same step once more. */
  async function stepsOf(seconds: number, parts: Parameters<typeof revision>[0]): Promise<readonly string[]> {
    const deletionTimestamp = new Date(NOW.getTime() - seconds * 1000).toISOString();
    const metadata = { deletionTimestamp, finalizers: ['slipway.dev/cleanup'] };
    const leaving = subscription({ metadata, status: { installed } });
    const cluster = createFakeCluster();
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
    cluster.put(leaving);
    const going = revision({ ...parts, deleted: true });
    const told: string[] = [];
    for (let step = 0; step < 2; step += 1) {
      const live = (await cluster.get(refOf(leaving))) as Subscription;
      const revisions = [{ ...going, metadata: { ...going.metadata, generation: 1 } }];
      const record = (_: unknown, { type, reason, action, note }: EventFacts): void =>
        void told.push(`${type} ${reason} ${action}: ${note}`);
      await uninstall({ cluster, record }, facts({ subscription: live, revisions }), NEVER);
    }
    return told;
  }

  test.each([
    {
      because: 'custom resources block it',
      seconds: 1,
      reason: 'DeleteBlocked',
      told: ['Warning DeleteBlocked Remove: as it says'],
    },
    {
      because: 'the account lacks a right',
      seconds: 1,
      reason: 'Forbidden',
      told: ['Warning Forbidden Remove: as it says'],
    },
    { because: 'objects are being deleted', seconds: 1, reason: 'Uninstalling', told: [] },
    { because: 'the API server fails for a moment', seconds: 1, reason: 'ApiUnavailable', told: [] },
    { because: 'an object was written meanwhile', seconds: 1, reason: 'Conflict', told: [] },
    {
      because: 'a finalizer holds an object for longer than two minutes',
      seconds: 121,
      reason: 'Uninstalling',
      told: ['Warning Uninstalling Remove: It takes longer than two minutes: as it says'],
    },
    ...(['Conflict', 'ApiUnavailable'] as const).map((reason) => ({
      because: `the API server has refused a deletion for longer than two minutes: ${reason}`,
      seconds: 121,
      reason,
      told: [`Warning ${reason} Remove: It takes longer than two minutes: as it says`],
    })),
  ])('reports once by an event: $because', async ({ seconds, reason, told }) => {
    expect(await stepsOf(seconds, { ready: false, reason })).toEqual(told);
  });

  test('comes again when it begins to take long, which no watch reports', async () => {
    const deletionTimestamp = new Date(NOW.getTime() - 20_000).toISOString();
    const leaving = subscription({ metadata: { deletionTimestamp }, status: { installed } });
    const cluster = createFakeCluster();
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
    cluster.put(leaving);
    const known = facts({ subscription: leaving, revisions: [revision({ deleted: true })] });
    const again = await uninstall({ cluster, record: () => undefined }, known, NEVER);
    expect(again).toEqual({ requeueAfterSeconds: 100 });
  });
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

describe('a Revision that a former leader has made, and that the watch has not reported yet', () => {
  const orphaning = { uninstall: { objects: 'Orphan' } };

  /** A cluster with a Revision that the facts lack. */
  async function end(
    status: object,
    generation: number,
    others: readonly KubeObject[] = [],
  ): Promise<{ readonly left: boolean; readonly lists: number }> {
    const deletionTimestamp = NOW.toISOString();
    const metadata = { deletionTimestamp, generation, finalizers: ['slipway.dev/cleanup'] };
    const leaving = subscription({ metadata, spec: orphaning, status });
    const cluster = createFakeCluster();
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
    for (const one of [leaving, revision(), ...others]) cluster.put(one);
    const ended = uninstall(
      { cluster: withSmallLists(cluster, 20_000), record: () => undefined },
      facts({ subscription: leaving }),
      NEVER,
    );
    await ended.catch((error: unknown) => expect(error).toMatchObject({ reason: 'Conflict', retry: 'backoff' }));
    return {
      left: (await cluster.get(refOf(leaving))) !== undefined,
      lists: cluster.requests.filter(({ verb }) => verb === 'list').length,
    };
  }

  test.each([
    { because: 'it has installed a Revision', status: { installed } },
    {
      because: 'it is making a Revision',
      status: { pending: { ...installed, bundle: 'gadget.v1.0.0', reason: 'Progressing' } },
    },
  ])('holds its Subscription if $because: without it, its objects would not stay', async ({ status }) => {
    expect(await end({ ...status, observedGeneration: 1 }, 2)).toEqual({ left: true, lists: 1 });
  });

  test('is found among others whose inventories are long', async () => {
    const inventory = [{ apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'u', hash: large(10_000) }];
    const others = ['a-1', 'b-1', 'c-1'].map((name) => ({ ...revision(), metadata: { name, namespace: 'ops' }, status: { inventory } })); // prettier-ignore
    expect(await end({ installed, observedGeneration: 1 }, 2, others)).toEqual({ left: true, lists: 1 });
  });

  test.each([
    { because: 'the uninstall has deleted Revisions, which the watch reports in their order', status: { installed } },
    { because: 'the status names none', status: {} },
  ])('is not searched for if $because', async ({ status }) => {
    expect(await end({ ...status, observedGeneration: 2 }, 2)).toEqual({ left: false, lists: 0 });
  });
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

describe('an uninstall in the middle of the way back to OLM', () => {
  const wayBack = {
    backup: { apiVersion: 'v1', kind: 'Secret', namespace: 'slipway-system', name: 'slipway-adoption.ops.gadget' },
    olm: { from: 'olm-v0', namespace: 'ops', subscription: 'gadget' },
    goOn: 'slipway adopt undo ops/gadget',
  } as const;
  const leaving = (spec: object = {}): Subscription =>
    subscription({
      metadata: { deletionTimestamp: NOW.toISOString(), finalizers: ['slipway.dev/cleanup'] },
      spec: { uninstall: { dependencies: 'Delete' }, ...spec },
      status: { installed },
    });

  class Ending {
    readonly cluster = createFakeCluster();
    readonly events: EventFacts[] = [];
    readonly #subscription: Subscription;
    readonly #revisions: readonly Revision[];
    asked = 0;

    constructor(spec: object, revisions: readonly Revision[]) {
      this.#subscription = leaving(spec);
      this.#revisions = revisions;
      this.cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
      for (const object of [this.#subscription, ...revisions]) this.cluster.put(object);
    }

    async step(isHandedBack: boolean): Promise<Result> {
      const live = (await this.cluster.get(refOf(this.#subscription))) as Subscription;
      const record = (_: unknown, event: EventFacts): void => void this.events.push(event);
      const wayBackOf = async (): Promise<typeof wayBack | undefined> => {
        this.asked += 1;
        return isHandedBack ? wayBack : undefined;
      };
      const known = facts({ subscription: live, revisions: this.#revisions });
      return uninstall({ cluster: this.cluster, record, wayBackOf }, known, NEVER);
    }

    get deleted(): readonly string[] {
      return this.cluster.requests.filter(({ verb }) => verb === 'delete').map(({ ref }) => ref.name);
    }
  }

  test.each([
    { because: 'OLM is to have the objects', spec: {}, isHandedBack: true, deleted: [] },
    { because: 'no way back has begun', spec: {}, isHandedBack: false, deleted: ['gadget-1'] },
    {
      because: 'the way back itself has the objects left',
      spec: { uninstall: { objects: 'Orphan' } },
      isHandedBack: true,
      deleted: ['gadget-1'],
    },
  ])('deletes the Revisions $deleted: $because', async ({ spec, isHandedBack, deleted }) => {
    const ending = new Ending(spec, [revision({ ready: true })]);
    await ending.step(isHandedBack);
    expect(ending.deleted).toEqual(deleted);
  });

  test('is held with a condition and one event, and asked again, since no watch reports the end of the way back', async () => {
    const ending = new Ending({}, [revision({ ready: true })]);
    const again = await ending.step(true);
    await ending.step(true);
    expect(again?.requeueAfterSeconds).toBeGreaterThan(0);
    const [held] = ending.cluster.objects().filter(({ kind }) => kind === 'Subscription') as Subscription[];
    const expected = {
      reason: 'DeleteBlocked',
      message: expect.stringContaining('`slipway adopt undo ops/gadget`') as string,
    };
    expect(held?.status?.conditions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: 'False', ...expected }),
        expect.objectContaining({ type: 'Stalled', status: 'True', ...expected }),
      ]),
    );
    expect(ending.events.map(({ type, reason }) => `${type} ${reason}`)).toEqual(['Warning DeleteBlocked']);
  });

  test('goes on once the way back is ended', async () => {
    const ending = new Ending({}, [revision({ ready: true })]);
    await ending.step(true);
    await ending.step(false);
    expect(ending.deleted).toEqual(['gadget-1']);
  });

  const ready = { type: 'Ready', status: 'False', reason: 'Uninstalling' };
  const working = { type: 'Reconciling', status: 'True', reason: 'Progressing' };
  const removing = { status: { conditions: [ready, working] } };
  const waiting = { status: { conditions: [ready] } };
  test.each([
    { because: 'the objects of a Revision are being deleted', state: removing, asked: 0, held: false },
    { because: 'another program has deleted the Revisions, and no object yet', state: {}, asked: 1, held: true },
    { because: 'an archived Revision only waits for the active one', state: waiting, asked: 1, held: true },
  ])('is asked about $asked times if $because', async ({ state, asked, held }) => {
    const ending = new Ending({}, [{ ...revision({ deleted: true }), ...state } as Revision]);
    const again = await ending.step(true);
    expect(ending.asked).toBe(asked);
    // Then it takes long.
    expect(again).toEqual({ requeueAfterSeconds: held ? 30 : 120 });
  });
});
