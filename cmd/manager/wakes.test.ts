/** How many reconciles a change causes: each is one too many if it concerns nothing. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { ownKey, type WatchEventOf } from '../../kube/controller/controller.ts';
import { createObjectStore } from '../../kube/watch/object-store.ts';
import { heldBy, onChangeByPeople, revisionsBeside, revisionsOf, waitingFor, BY_WAITING } from './wakes.ts';

const HISTORY = 10;
const cache = { byIndex: (): readonly Revision[] => Array.from({ length: HISTORY }, (_, at) => revision(at + 1)) };

function revision(number: number, parts: { readonly status?: object; readonly generation?: number } = {}): Revision {
  const { status = {}, generation = 1 } = parts;
  return {
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Revision',
    metadata: { name: `gadget-${number}`, namespace: 'ops', uid: `r${number}`, generation },
    spec: { subscription: 'gadget', state: number === HISTORY ? 'Active' : 'Archived', approved: true },
    status,
  } as unknown as Revision;
}

function subscription(parts: { readonly status?: object; readonly metadata?: object } = {}): Subscription {
  const { status = {}, metadata = {} } = parts;
  return {
    metadata: { name: 'gadget', namespace: 'ops', uid: 's', generation: 1, ...metadata },
    spec: { package: 'gadget' },
    status,
  } as unknown as Subscription;
}

function update<Kind extends KubeObject>(old: Kind, object: Kind): WatchEventOf<Kind> {
  return { type: 'updated', old, object };
}

describe('the Revisions of a Subscription with a history of ten', () => {
  const phases = [{ name: 'crds', state: 'Ready', objects: 1, ready: 1 }];
  const before = revision(HISTORY);

  test.each<{ event: WatchEventOf<Revision>; count: number; because: string }>([
    { event: update(before, revision(HISTORY, { status: { phases } })), count: 1, because: 'it only made progress' },
    { event: update(before, revision(HISTORY, { generation: 2 })), count: HISTORY, because: 'its spec has changed' },
    { event: { type: 'added', object: before }, count: HISTORY, because: 'it is new' },
    { event: { type: 'deleted', object: before }, count: HISTORY, because: 'it is gone' },
  ])('a change of one of them wakes $count, because $because', ({ event, count }) => {
    expect(revisionsBeside(cache, event.object, event)).toHaveLength(count);
  });

  const told = { pending: { revision: 'gadget-3', bundle: 'b', reason: 'OutsideWindow' } };

  test.each<{ after: Subscription; count: number; because: string }>([
    {
      after: subscription({ status: { lastHandledReconcileAt: 'x' } }),
      count: 0,
      because: 'its status says nothing about them',
    },
    { after: subscription({ status: told }), count: 1, because: 'its status says that one of them waits' },
    { after: subscription({ metadata: { generation: 2 } }), count: HISTORY, because: 'its spec has changed' },
    {
      after: subscription({ metadata: { annotations: { a: 'b' } } }),
      count: HISTORY,
      because: 'a person may have asked for a reconcile by an annotation',
    },
    { after: subscription({ metadata: { deletionTimestamp: 'x' } }), count: HISTORY, because: 'it is being deleted' },
    { after: subscription({ metadata: { uid: 'other' } }), count: HISTORY, because: 'another one has its name' },
  ])('a change of the Subscription wakes $count, because $because', ({ after, count }) => {
    expect(revisionsOf(cache, after, update(subscription(), after))).toHaveLength(count);
  });
});

describe('an object that only people change', () => {
  const keys = onChangeByPeople(ownKey);

  test.each<{ after: Subscription; count: number; because: string }>([
    { after: subscription({ status: { lastHandledReconcileAt: 'x' } }), count: 0, because: 'the manager wrote it' },
    { after: subscription({ metadata: { generation: 2 } }), count: 1, because: 'its spec has changed' },
    {
      after: subscription({ metadata: { uid: 'other' } }),
      count: 1,
      because: 'it was deleted and made again while no watch ran',
    },
  ])('is reconciled $count times, because $because', ({ after, count }) => {
    expect(keys(after, update(subscription(), after))).toHaveLength(count);
  });
});

describe('a change of an OperatorCondition', () => {
  const owned = { annotations: { 'slipway.dev/owner': 'ops/gadget' } };
  const waits = subscription({ status: { pending: { reason: 'OperatorNotUpgradeable' } } });
  test.each<{ kind: string; metadata?: object; known: Subscription | undefined; count: number; because: string }>([
    { kind: 'OperatorCondition', known: waits, count: 1, because: 'the Subscription waits for it' },
    { kind: 'OperatorCondition', known: subscription(), count: 0, because: 'the Subscription waits for nothing' },
    { kind: 'OperatorCondition', known: undefined, count: 0, because: 'the Subscription is gone' },
    { kind: 'ConfigMap', known: waits, count: 0, because: 'it is an object of another kind' },
    { kind: 'OperatorCondition', metadata: {}, known: waits, count: 0, because: 'it names no owner' },
  ])('wakes $count, because $because', ({ kind, metadata = owned, known, count }) => {
    const object = { apiVersion: 'v2', kind, metadata: { name: 'x', namespace: 'ops', ...metadata } };
    const cache = { get: (key: string) => (key === 'ops/gadget' ? known : undefined) };
    expect(heldBy(cache, object)).toHaveLength(count);
  });
});

test('a Subscription that is new wakes those that wait for others, and is found among them as soon as it waits', () => {
  const store = createObjectStore<Subscription>(BY_WAITING);
  const named = (name: string, status: object = {}): Subscription => subscription({ metadata: { name }, status });
  const waiting = named('needs', { pending: { reason: 'DependencyNotReady' } });
  for (const one of [waiting, named('other')]) store.put(one);
  const event: WatchEventOf<Subscription> = {
    type: 'added',
    object: named('new', { installed: { revision: 'new-1' } }),
  };
  expect(waitingFor(store, event)).toEqual([{ namespace: 'ops', name: 'needs' }]);
  store.put(named('needs'));
  expect(waitingFor(store, event)).toEqual([]);
});
