/** Which change is planned, from the caches alone. */
import { expect, test } from 'vitest';
import { revision, subscription } from '../subscription/testing/facts.ts';
import { observePlan } from './observe.ts';

test.each([{ order: [1, 2, 3] }, { order: [3, 2, 1] }])(
  'while a late write is undone, the plan begins at the newest active Revision: numbers in the cache $order',
  ({ order }) => {
    const waiting = subscription({ status: { pending: { ...PENDING, revision: 'gadget-3' } } });
    const revisions = order.map((number) => revision({ number, state: number === 3 ? 'Archived' : 'Active' }));
    const caches = {
      subscriptions: { get: () => waiting },
      revisions: { byIndex: () => revisions },
      namespaces: { get: () => undefined },
    };
    const planned = observePlan(caches, { namespace: 'ops', name: 'gadget' }, undefined);
    expect([planned?.active, planned?.next].map((one) => one?.metadata.name)).toEqual(['gadget-2', 'gadget-3']);
  },
);

const PENDING = { bundle: 'gadget.v1.1.0', version: '1.1.0', reason: 'Planning' } as const;
