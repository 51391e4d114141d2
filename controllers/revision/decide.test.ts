import { describe, expect, test } from 'vitest';
import { API_VERSION, FINALIZER } from '../../api/names.ts';
import type { InventoryEntry, Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { decideRevision, isSettled, type RevisionPlan } from './decide.ts';

const entry = (name: string): InventoryEntry => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: 'u', hash: 'h' });

interface Parts {
  readonly state?: 'Active' | 'Archived';
  readonly approved?: boolean;
  readonly deleted?: boolean;
  readonly finalizer?: boolean;
  readonly holds?: readonly string[];
  readonly conditions?: Readonly<Record<string, 'True' | 'False'>>;
  readonly judgedGeneration?: number;
}

const NUMBERS = { a: 1, b: 2, c: 3 } as const;

function revision(letter: keyof typeof NUMBERS, parts: Parts = {}): Revision {
  const number = NUMBERS[letter];
  const { state = 'Active', approved = true, deleted = false, finalizer = true, holds = [], conditions = {} } = parts;
  return {
    metadata: {
      name: `widgets-${number}`,
      generation: 1,
      ownerReferences: [{ apiVersion: API_VERSION, kind: 'Subscription', name: 'widgets', uid: 'u', controller: true }],
      finalizers: finalizer ? [FINALIZER] : [],
      ...(deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    spec: {
      subscription: 'widgets',
      number,
      package: 'gadget',
      configHash: 'x',
      manifests: { secrets: [], digest: '' },
      state,
      approved,
    },
    status: {
      inventory: holds.map(entry),
      conditions: Object.entries(conditions).map(([type, status]) => ({
        type,
        status,
        reason: 'Succeeded',
        message: '',
        observedGeneration: parts.judgedGeneration ?? 1,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
    },
  } as unknown as Revision;
}

const subscription = ({ deleted = false, suspend = false } = {}): Subscription =>
  ({
    metadata: { name: 'widgets', uid: 'u', ...(deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    spec: { suspend, package: 'gadget' },
  }) as unknown as Subscription;

const NO_OWNER = 'metadata.ownerReferences names no Subscription as its controller';

function handMade({ metadata, ...rest }: Revision): Revision {
  const { ownerReferences: _, ...others } = metadata;
  return { ...rest, metadata: others };
}

const GOING = { deleted: true };
const READY = { Ready: 'True' } as const;

describe('the plan for a Revision', () => {
  const cases: readonly {
    one: Revision;
    of?: Subscription;
    siblings?: readonly Revision[];
    plan: Exclude<RevisionPlan, { kind: 'rollOut' }> | { kind: 'rollOut' };
    because: string;
  }[] = [
    { one: revision('a'), of: subscription(), plan: { kind: 'rollOut' }, because: 'it is active and approved' },
    {
      one: revision('a'),
      of: subscription(),
      siblings: [revision('b')],
      plan: { kind: 'nothing' },
      because: 'another one is active too, and the controller of Subscriptions decides which of them stays active',
    },
    {
      one: revision('a'),
      of: subscription(),
      siblings: [revision('b', { state: 'Archived' })],
      plan: { kind: 'rollOut' },
      because: 'the other one is history',
    },
    {
      one: revision('a', { approved: false }),
      of: subscription(),
      plan: { kind: 'awaitApproval' },
      because: 'a person has not approved it',
    },
    {
      one: revision('a'),
      of: subscription({ suspend: true }),
      plan: { kind: 'suspended', subscription: subscription({ suspend: true }) },
      because: 'its Subscription is suspended',
    },
    {
      one: revision('a'),
      plan: { kind: 'nothing' },
      because: 'its Subscription is gone, and the garbage collector deletes it next',
    },
    {
      one: revision('a'),
      of: subscription({ deleted: true }),
      plan: { kind: 'nothing' },
      because: 'its Subscription is being deleted, and deletes it in a moment',
    },
    {
      one: revision('a', { state: 'Archived', holds: ['x'] }),
      of: subscription(),
      plan: { kind: 'archived', handedOver: false },
      because: 'no active Revision has taken over its inventory',
    },
    {
      one: revision('a', { state: 'Archived', holds: ['x'] }),
      of: subscription(),
      siblings: [revision('b', { holds: ['x', 'y'] })],
      plan: { kind: 'archived', handedOver: true },
      because: 'the inventory of the active one has all its entries',
    },
    {
      one: revision('a', { state: 'Archived', holds: ['x'] }),
      of: subscription(),
      siblings: [revision('b', { holds: ['y'] })],
      plan: { kind: 'archived', handedOver: false },
      because: 'the inventory of the active one does not have all its entries yet',
    },
    {
      one: revision('a', { state: 'Archived', holds: ['x'] }),
      of: subscription(),
      siblings: [revision('b', { holds: ['y'], conditions: READY })],
      plan: { kind: 'archived', handedOver: true },
      because: 'the active one has pruned its leftovers',
    },
    {
      one: handMade(revision('a', { holds: ['x'] })),
      of: subscription(),
      plan: { kind: 'invalid', problem: NO_OWNER },
      because: 'the manager did not make it',
    },
    {
      one: handMade(revision('a', { ...GOING, holds: ['x'] })),
      of: subscription({ deleted: true }),
      plan: { kind: 'invalid', problem: NO_OWNER },
      because: 'its inventory may list objects of others, also while the operator is uninstalled',
    },
    {
      one: handMade(revision('a', { ...GOING, holds: ['x'] })),
      plan: { kind: 'invalid', problem: NO_OWNER },
      because: 'its inventory may list objects of others, also without a Subscription',
    },
    {
      one: revision('a', { ...GOING, finalizer: false }),
      plan: { kind: 'nothing' },
      because: 'it has no finalizer any more',
    },
    {
      one: revision('a', { ...GOING, holds: ['x'] }),
      of: subscription({ deleted: true }),
      plan: { kind: 'remove' },
      because: 'the operator is uninstalled',
    },
    {
      one: revision('a', { ...GOING, holds: ['x'] }),
      plan: { kind: 'remove' },
      because: 'no other Revision will remove its objects',
    },
    {
      one: revision('a', { ...GOING, state: 'Archived', holds: ['x'] }),
      of: subscription({ deleted: true }),
      siblings: [revision('b', GOING)],
      plan: { kind: 'waitForActive', name: 'widgets-2' },
      because: 'the active Revision decides the order of removal',
    },
    {
      one: revision('a', { ...GOING, state: 'Archived' }),
      of: subscription({ deleted: true }),
      siblings: [revision('b', GOING)],
      plan: { kind: 'release' },
      because: 'it is history, and has nothing to remove',
    },
    {
      one: revision('a', { ...GOING, state: 'Archived' }),
      of: subscription({ deleted: true }),
      siblings: [revision('b', { state: 'Archived' })],
      plan: { kind: 'remove' },
      because: 'no Revision is active',
    },
    {
      one: revision('a', { ...GOING, state: 'Archived' }),
      of: subscription(),
      siblings: [revision('b')],
      plan: { kind: 'release' },
      because: 'it is deleted as old history, and its inventory is empty',
    },
    {
      one: revision('a', { ...GOING, holds: ['x'] }),
      of: subscription(),
      plan: { kind: 'nothing' },
      because: 'its inventory must not be lost while its Subscription stays',
    },
    {
      one: revision('a', { ...GOING, state: 'Archived', holds: ['x'] }),
      of: subscription(),
      siblings: [revision('b', { holds: ['x'] })],
      plan: { kind: 'release' },
      because: 'another one has its entries in its inventory',
    },
  ];

  test.each(cases)('the plan is $plan.kind, because $because', ({ one, of, siblings = [], plan }) => {
    const facts = { revision: one, subscription: of, siblings };
    expect(decideRevision(facts)).toEqual(plan.kind === 'rollOut' ? { ...plan, facts } : plan);
  });

  test('while a late write is undone, the newest active Revision counts, in whatever order the cache has them', () => {
    const [older, newer] = [revision('b'), revision('c', { holds: ['x'] })];
    for (const siblings of [
      [older, newer],
      [newer, older],
    ]) {
      const going = revision('a', { ...GOING, state: 'Archived', holds: ['x'] });
      const given = { revision: going, subscription: subscription({ deleted: true }), siblings };
      expect(decideRevision(given)).toEqual({ kind: 'waitForActive', name: 'widgets-3' });
      const kept = {
        revision: revision('a', { state: 'Archived', holds: ['x'] }),
        subscription: subscription(),
        siblings,
      };
      expect(decideRevision(kept)).toEqual({ kind: 'archived', handedOver: true });
    }
  });
});

describe('a Revision is settled', () => {
  test.each([
    { one: revision('a', { conditions: READY }), settled: true, because: 'it is ready and no work is in progress' },
    { one: revision('a'), settled: false, because: 'it has no status yet' },
    {
      one: revision('a', { conditions: { ...READY, Reconciling: 'True' } }),
      settled: false,
      because: 'leftovers are to be pruned',
    },
    {
      one: revision('a', { conditions: READY, judgedGeneration: 0 }),
      settled: false,
      because: 'its conditions are about an older spec',
    },
  ])('a Revision is settled: $settled, because $because', ({ one, settled }) => {
    expect(isSettled(one)).toBe(settled);
  });
});
