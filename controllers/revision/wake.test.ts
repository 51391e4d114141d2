import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import { API_VERSION, FINALIZER } from '../../api/names.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import { judgeArchived } from './archived.ts';
import { circumstancesOf } from './circumstances.ts';
import { decideRevision } from './decide.ts';
import { knownInventory } from './observe.ts';
import { isNewsForSiblings, isNewsFromStatus } from './wake.ts';

const TIME = '2026-01-01T00:00:00Z';
const IMAGE = `registry.example/gadget@sha256:${'a'.repeat(64)}`;

interface Parts {
  readonly number?: number;
  readonly state?: 'Active' | 'Archived';
  readonly approved?: boolean;
  readonly generation?: number;
  readonly deleted?: boolean;
  readonly owner?: string;
  readonly status?: object;
}

function revision(parts: Parts = {}): Revision {
  const { number = 1, state = 'Archived', approved = true, generation = 1, deleted = false, owner = 'u' } = parts;
  return {
    metadata: {
      name: `widgets-${number}`,
      namespace: 'ops',
      uid: `r${number}`,
      generation,
      ownerReferences: [
        { apiVersion: API_VERSION, kind: 'Subscription', name: 'widgets', uid: owner, controller: true },
      ],
      finalizers: [FINALIZER],
      ...(deleted && { deletionTimestamp: TIME }),
    },
    spec: {
      subscription: 'widgets',
      number,
      package: 'gadget',
      bundle: 'gadget.v1',
      image: IMAGE,
      configHash: 'x',
      manifests: { secrets: [], digest: '' },
      state,
      approved,
    },
    status: parts.status ?? {},
  } as unknown as Revision;
}

function subscription(status: SubscriptionStatus = {}): Subscription {
  return {
    metadata: { name: 'widgets', namespace: 'ops', uid: 'u', generation: 1 },
    spec: { suspend: false, package: 'gadget' },
    status,
  } as unknown as Subscription;
}

const entry = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid: 'u',
  hash: 'h',
  ...more,
});
const said = (type: string, value: 'True' | 'False', reason = 'Succeeded', message = ''): object => ({
  type,
  status: value,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: TIME,
});
const having = (status: object): Parts => ({ status });

describe('a change of one Revision and the others of its Subscription', () => {
  test.each<{ before?: Parts; after: Parts; news: boolean; because: string }>([
    { after: having({ phases: [{ name: 'crds', state: 'Ready' }] }), news: false, because: 'it only made progress' },
    { after: having({ conditions: [said('Ready', 'False')] }), news: false, because: 'it only says why it waits' },
    { after: having({ lastRepair: { time: TIME } }), news: false, because: 'it only put an object right' },
    { after: having({ inventory: [entry('a')] }), news: true, because: 'it holds an object more' },
    {
      before: having({ inventory: [entry('a')] }),
      after: having({ inventory: [entry('a', { leftover: true })] }),
      news: true,
      because: 'an object that others list has become a leftover',
    },
    {
      after: having({ conditions: [said('Ready', 'True')] }),
      news: true,
      because: 'it has settled: leftovers are gone',
    },
    { after: { state: 'Active', generation: 2 }, news: true, because: 'it is active now' },
    { after: { deleted: true }, news: true, because: 'it is being deleted' },
    { after: { owner: 'another' }, news: true, because: 'it belongs to another Subscription now' },
  ])('the others are concerned: $news, because $because', ({ before = {}, after, news }) => {
    expect(isNewsForSiblings(revision(before), revision(after))).toBe(news);
  });

  test('a change that is no news changes no plan, inventory or circumstance of another Revision', () => {
    const statuses = fc.record(
      {
        inventory: fc.uniqueArray(fc.constantFrom(entry('a'), entry('b'), entry('a', { leftover: true }))),
        conditions: fc.uniqueArray(
          fc.constantFrom(said('Ready', 'True'), said('Ready', 'False'), said('Reconciling', 'True')),
          { selector: (one) => (one as { type: string }).type },
        ),
        phases: fc.constantFrom([], [{ name: 'crds', state: 'Waiting' }]),
        firstReadyTime: fc.constant(TIME),
      },
      { requiredKeys: [] },
    );
    const parts = fc.record(
      {
        state: fc.constantFrom('Active' as const, 'Archived' as const),
        approved: fc.boolean(),
        deleted: fc.boolean(),
        owner: fc.constantFrom('u', 'another'),
        status: statuses,
      },
      { requiredKeys: [] },
    );
    // Another spec has another generation; the conditions are about the first.
    const generationOf = ({ state = 'Archived', approved = true }: Parts): number =>
      ['Active true', 'Archived true', 'Active false', 'Archived false'].indexOf(`${state} ${approved}`) + 1;
    const named = fc.option(fc.constant(subscription()), { nil: undefined });
    const oneIn = (many: number): fc.Arbitrary<boolean> => fc.nat(many - 1).map((dice) => dice === 0);
    const seen = { quiet: 0, news: 0 };
    fc.assert(
      fc.property(parts, parts, parts, named, oneIn(4), (one, a, b, owner, differs) => {
        const make = (given: Parts, number: number): Revision =>
          revision({ ...given, number, generation: generationOf(given) });
        // Mostly only the status differs, as after a write of the manager.
        const after = make(differs ? b : { ...a, status: { ...a.status, ...b.status } }, 2);
        const before = make(a, 2);
        seen[isNewsForSiblings(before, after) ? 'news' : 'quiet'] += 1;
        if (isNewsForSiblings(before, after)) return;
        const factsWith = (sibling: Revision): Parameters<typeof knownInventory>[0] => ({
          revision: make(one, 1),
          subscription: owner,
          // As observe.ts selects them.
          siblings: sibling.metadata.ownerReferences?.[0]?.uid === 'u' ? [sibling] : [],
        });
        const look = (sibling: Revision): object => ({
          // The facts with which a roll-out begins are compared by themselves.
          plan: { ...decideRevision(factsWith(sibling)), facts: undefined },
          known: knownInventory(factsWith(sibling)),
          circumstances: circumstancesOf(factsWith(sibling), { get: () => undefined }),
        });
        expect(look(after)).toEqual(look(before));
      }),
      { numRuns: runsOf(2000) },
    );
    expect(seen.quiet).toBeGreaterThan(50);
    expect(seen.news).toBeGreaterThan(50);
  });
});

describe('a change of the status of a Subscription and one of its Revisions', () => {
  const waiting = (name: string, reason = 'OutsideWindow'): SubscriptionStatus =>
    ({
      pending: { revision: name, reason },
      conditions: [said('UpgradeAvailable', 'True', reason, 'until Sunday')],
    }) as unknown as SubscriptionStatus;
  const quarantined = (bundle: string, image = IMAGE): SubscriptionStatus =>
    ({ quarantined: [{ bundle, image, reason: 'WorkloadUnhealthy', message: 'x', since: TIME }] }) as never;
  const failed = having({ conditions: [said('Ready', 'False', 'WorkloadUnhealthy')] });

  test.each<{ one?: Parts; after: SubscriptionStatus; news: boolean; because: string }>([
    { after: { observedGeneration: 7 }, news: false, because: 'the status says nothing about it' },
    { after: waiting('widgets-1'), news: true, because: 'it waits for a window' },
    { after: waiting('widgets-2'), news: false, because: 'another one waits' },
    {
      after: waiting('widgets-1', 'ApprovalRequired'),
      news: false,
      because: 'its own spec says that it waits for that',
    },
    { one: failed, after: quarantined('gadget.v1'), news: true, because: 'its failure is known now' },
    { one: failed, after: quarantined('gadget.v2'), news: false, because: 'another version has failed' },
    { one: { state: 'Active' }, after: waiting('widgets-1'), news: false, because: 'it is active' },
  ])('it is concerned: $news, because $because', ({ one, after, news }) => {
    expect(isNewsFromStatus(revision(one), subscription(), subscription(after))).toBe(news);
  });

  test('a status that is no news changes no judgement of an archived Revision, handed over or not', () => {
    const statuses = fc.constantFrom({}, waiting('widgets-1'), waiting('widgets-2'), quarantined('gadget.v1'));
    const revisions = fc.constantFrom(revision(), revision(failed), revision(having({ inventory: [entry('a')] })));
    fc.assert(
      fc.property(revisions, statuses, statuses, fc.boolean(), (one, a, b, handedOver) => {
        const [before, after] = [subscription(a), subscription(b)];
        fc.pre(!isNewsFromStatus(one, before, after));
        const judge = (given: Subscription): unknown => judgeArchived(one, { subscription: given, handedOver });
        expect(judge(after)).toEqual(judge(before));
      }),
    );
  });
});
