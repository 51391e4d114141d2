/** In every order of activations, approvals and failures, upgrades end at the head and never run in a circle. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import { type Revision, activeOf } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { configHash } from '../config-hash.ts';
import type { Action } from './action.ts';
import { decideSubscription } from './decide.ts';
import { forgettable } from './forgettable.ts';
import { summarizePlan } from './summarize.ts';
import { catalog, facts, revision, subscription } from './testing/facts.ts';

const EVENTS = [
  'reconcile',
  'works',
  'fails',
  'falls ill',
  'approve',
  'publish',
  'manual',
  'automatic',
  'reconfigure',
  'pin',
  'unpin',
] as const;
type Happening = (typeof EVENTS)[number];

const START = Date.parse('2026-05-01T12:00:00Z');

/** A Subscription with its Revisions, and a catalog that grows by one version at a time. */
class World {
  wanted: Subscription = subscription();
  revisions: readonly Revision[] = [];
  versions: readonly string[] = ['1.0.0', '1.1.0'];
  /** Bundles that became active, in order. */
  readonly activated: string[] = [];
  /** Revisions that were made, in order. */
  readonly named: string[] = [];
  private minutes = 0;
  private configurations = 0;

  happen(what: Happening): void {
    this.minutes += 1;
    const active = activeOf(this.revisions);
    if (what === 'reconcile') this.reconcile();
    if (what === 'works')
      this.judge(active, { ready: true, firstReadyTime: active?.status?.firstReadyTime ?? this.now() });
    if (what === 'fails') this.judge(active, { ready: false, reason: 'ObjectInvalid', stalled: true });
    if (what === 'falls ill') this.judge(active, { ready: false, reason: 'WorkloadUnhealthy' });
    if (what === 'approve') this.change(this.revisions.at(-1), { approved: true });
    if (what === 'publish') this.versions = [...this.versions, `1.${this.versions.length}.0`];
    if (what === 'manual' || what === 'automatic') this.ask({ approval: what === 'manual' ? 'Manual' : 'Automatic' });
    if (what === 'pin') this.ask({ version: this.versions[0] });
    if (what === 'unpin') this.ask({ version: undefined });
    if (what === 'reconfigure') this.ask({ config: { replicas: ++this.configurations } });
  }

  approveAll(): void {
    for (const one of this.revisions) this.change(one, { approved: true });
  }

  /** One reconcile: the status first, then the action. */
  reconcile(): Action['do'] {
    const now = new Date(this.now());
    const given = facts({
      subscription: this.wanted,
      revisions: this.revisions,
      nextNumber: this.nextNumber(),
      catalogs: [catalog({ versions: this.versions })],
      now,
    });
    const plan = decideSubscription(given);
    if (plan.kind !== 'resolved') throw new Error(plan.kind);
    this.wanted = { ...this.wanted, status: summarizePlan(this.wanted, plan, { now }) };
    const { action } = plan;
    if (action.do === 'create') this.create(action);
    const gone = new Set(forgettable({ ...given, subscription: this.wanted }, plan));
    this.revisions = this.revisions.filter((one) => !gone.has(one));
    if (action.do === 'activate') this.activate(action.revision);
    return action.do;
  }

  private nextNumber(): number {
    return 1 + Math.max(this.wanted.status?.lastNumber ?? 0, ...this.revisions.map(({ spec }) => spec.number));
  }

  private create({ target, hold }: Extract<Action, { do: 'create' }>): void {
    const previous = activeOf(this.revisions)?.metadata.name;
    const created = revision({
      number: this.nextNumber(),
      version: target.bundle.version,
      configHash: configHash(this.wanted),
      image: `${target.bundle.image}@sha256:${'a'.repeat(64)}`,
      state: 'Archived',
      approved: hold === undefined,
      ...(previous !== undefined && { previous }),
    });
    this.revisions = [...this.revisions, created];
    this.named.push(created.metadata.name);
    if (hold === undefined) this.activate(created);
  }

  private activate(chosen: Revision): void {
    this.activated.push(chosen.spec.bundle);
    this.revisions = this.revisions.map((one) => {
      if (one.metadata.name === chosen.metadata.name) return this.switched(one, 'Active');
      const left = one.spec.state === 'Active' && one.status?.firstReadyTime !== undefined;
      const status = { ...one.status, ...(left && { lastActiveTime: this.now() }) };
      return this.switched({ ...one, status }, 'Archived');
    });
  }

  /** As the API server stores it: a change of the spec is a new generation. */
  private switched(one: Revision, state: 'Active' | 'Archived'): Revision {
    if (one.spec.state === state) return one;
    const generation = (one.metadata.generation ?? 1) + 1;
    return { ...one, metadata: { ...one.metadata, generation }, spec: { ...one.spec, state } };
  }

  private judge(one: Revision | undefined, parts: Parameters<typeof revision>[0]): void {
    if (one === undefined) return;
    const known = one.status?.firstReadyTime;
    const { status } = revision({ ...(known !== undefined && { firstReadyTime: known }), ...parts });
    const observedGeneration = one.metadata.generation ?? 1;
    const conditions = (status?.conditions ?? []).map((condition) => ({ ...condition, observedGeneration }));
    this.replace(one, { ...one, status: { ...one.status, ...status, conditions } });
  }

  private change(one: Revision | undefined, spec: Partial<Revision['spec']>): void {
    if (one !== undefined) this.replace(one, { ...one, spec: { ...one.spec, ...spec } });
  }

  private replace(old: Revision, next: Revision): void {
    this.revisions = this.revisions.map((one) => (one === old ? next : one));
  }

  private ask(spec: object): void {
    const generation = (this.wanted.metadata.generation ?? 0) + 1;
    this.wanted = {
      ...this.wanted,
      metadata: { ...this.wanted.metadata, generation },
      spec: { ...this.wanted.spec, ...spec },
    };
  }

  private now(): string {
    return new Date(START + this.minutes * 60_000).toISOString().replace('.000Z', 'Z');
  }
}

/** From now on every active Revision works and people approve: the bundles that become active until the end. */
function settle(world: World): { readonly ends: boolean; readonly activated: readonly string[] } {
  const before = world.activated.length;
  for (let round = 0; round < 30; round++) {
    world.reconcile();
    world.happen('works');
    world.approveAll();
    if (world.reconcile() === 'nothing') return { ends: true, activated: world.activated.slice(before) };
  }
  return { ends: false, activated: world.activated.slice(before) };
}

describe('any order of activations, approvals and failures', () => {
  test('any order of activations, approvals and failures ends, and no bundle becomes active twice on the way', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 40 }), (events) => {
        const world = new World();
        world.versions = ['1.0.0', '1.1.0', '1.2.0'];
        for (const event of events) world.happen(event);
        const { ends, activated } = settle(world);
        expect(ends).toBe(true);
        expect(new Set(world.named).size, 'a name was given twice').toBe(world.named.length);
        const versions = activated.filter((bundle, at) => bundle !== activated[at - 1]);
        expect(new Set(versions).size, activated.join(' → ')).toBe(versions.length);
      }),
      { numRuns: runsOf(1000) },
    );
  });

  test('a Revision that was approved before another one worked follows that one', () => {
    const world = new World();
    world.versions = ['1.0.0', '1.1.0', '1.2.0'];
    const story: readonly Happening[] = [
      'pin',
      'reconcile',
      'manual',
      'unpin',
      'reconcile',
      'approve',
      'works',
      'reconcile',
    ];
    for (const event of story) world.happen(event);
    expect(settle(world).ends).toBe(true);
    expect(world.activated.at(-1)).toBe('gadget.v1.2.0');
  });
});
