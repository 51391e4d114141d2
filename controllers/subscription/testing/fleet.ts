/**
 * Subscriptions that are decided about one after another, in any order, as the manager does it: what a decision makes is
 * there at once, but the status of a Subscription names a new version only after its next decision.
 */
import { LABEL } from '../../../api/names.ts';
import type { Reason } from '../../../api/reasons.ts';
import type { Revision } from '../../../api/revision.ts';
import type { SubscriptionStatus } from '../../../api/subscription-status.ts';
import type { CatalogPackage, GroupVersionKind } from '../../../catalog/model.ts';
import { kindKey, providedKinds } from '../../../resolver/dependencies/requirements.ts';
import { upgradeGraph } from '../../../resolver/graph.ts';
import type { CatalogSource } from '../../../resolver/input.ts';
import { decideSubscription, type ResolvedPlan } from '../decide.ts';
import { describeSurroundings, type Neighbour } from '../neighbours.ts';
import { planWays } from '../ways.ts';
import { facts, NOW, revision, subscription } from './facts.ts';

export interface FleetMember {
  readonly package: string;
  readonly installed?: string;
  /** Whether it was created as a dependency. */
  readonly dependency?: boolean;
  readonly namespace?: string;
  readonly spec?: object;
}

interface MemberState extends FleetMember {
  /** The version that works, and the one that the status names. */
  readonly working: string | undefined;
  readonly reported: string | undefined;
  /** A version that waits for its dependencies. */
  readonly waiting: string | undefined;
  readonly reason: Reason;
}

/** The Subscriptions of one cluster, each of a package of one Catalog. */
export class Fleet {
  readonly #content: ReadonlyMap<string, CatalogPackage>;
  readonly #members: Map<string, MemberState>;
  readonly #state: CatalogSource['state'];

  constructor(
    packages: readonly CatalogPackage[],
    members: readonly FleetMember[],
    state: CatalogSource['state'] = 'Serving',
  ) {
    this.#content = new Map(packages.map((one) => [one.name, one]));
    this.#state = state;
    this.#members = new Map(
      members.map((one) => [
        one.package,
        { ...one, working: one.installed, reported: one.installed, waiting: undefined, reason: 'Progressing' },
      ]),
    );
  }

  /** The version that works. */
  versionOf(name: string): string | undefined {
    return this.#stateOf(name).working;
  }

  /** Has a member wait with its next version for a reason. */
  hold(name: string, waiting: string, reason: Reason): this {
    return this.#change(name, { waiting, reason });
  }

  /** Decides about one member, and does what the decision says. */
  reconcile(name: string): ResolvedPlan {
    const state = this.#stateOf(name);
    const plan = this.#decide(name);
    const { action } = plan;
    const next =
      action.do === 'create'
        ? action.target.bundle.version
        : 'revision' in action
          ? action.revision.spec.version
          : undefined;
    this.#change(name, { reported: state.working });
    if (action.do === 'await' || (action.do === 'create' && action.hold !== undefined))
      this.#change(name, { waiting: next, reason: action.hold?.reason ?? 'Progressing' });
    else if (action.do !== 'nothing') this.#change(name, { waiting: undefined, working: next });
    return plan;
  }

  #decide(name: string): ResolvedPlan {
    const one = this.#describe(this.#stateOf(name));
    const neighbours = [...this.#members.values()]
      .filter((other) => other.package !== name)
      .map((other) => this.#describe(other));
    const server = { providedKinds: [] };
    const catalogs = this.#catalogs();
    const ways = planWays({ one, neighbours, server, catalogsOf: () => catalogs, now: NOW });
    const cluster = { ...server, ...describeSurroundings(one, neighbours), ways };
    const plan = decideSubscription(facts({ ...one, neighbours, catalogs, cluster, nextNumber: 99 }));
    if (plan.kind !== 'resolved') throw new Error(`${name} is not to be resolved`);
    return plan;
  }

  #catalogs(): readonly CatalogSource[] {
    const content = (name: string): CatalogPackage | undefined => this.#content.get(name);
    const providersOf = (kind: GroupVersionKind): readonly string[] =>
      [...this.#content.values()].filter((one) => provides(one, kind)).map(({ name }) => name);
    return [{ name: 'main', priority: 0, state: this.#state, content, providersOf }];
  }

  #describe(state: MemberState): Neighbour {
    const revisions = this.#revisionsOf(state);
    const numberOf = (version: string | undefined): Revision | undefined =>
      revisions.find(({ spec }) => spec.version === version);
    const [installed, waiting] = [numberOf(state.reported), numberOf(state.waiting)];
    const status: SubscriptionStatus = {
      ...(installed !== undefined && { installed: { ...named(installed), image: 'i', catalog: 'main' } }),
      ...(waiting !== undefined && { pending: { ...named(waiting), reason: state.reason } }),
    };
    const { package: name, dependency, namespace = 'ops', spec = {} } = state;
    const metadata = dependency === true ? { labels: { [LABEL.dependency]: 'true' } } : {};
    return {
      subscription: subscription({ name, namespace, metadata, status, spec: { package: name, ...spec } }),
      revisions,
    };
  }

  /** Numbered by version: those that it may have had, the working one, and the one that waits. */
  #revisionsOf({ package: name, working, reported, waiting }: MemberState): readonly Revision[] {
    const bundles = [...upgradeGraph(this.#contentOf(name)).bundles.values()];
    return bundles.flatMap(({ bundle: { version, properties } }, at) => {
      if (![working, reported, waiting].includes(version)) return [];
      const stored = properties.map(({ type, value }) => ({ type, value: JSON.stringify(value) }));
      const state = version === working ? 'Active' : 'Archived';
      const isWaiting = version === waiting;
      return [
        revision({
          package: name,
          version,
          number: at + 1,
          state,
          ready: !isWaiting,
          approved: !isWaiting,
          properties: stored,
        }),
      ];
    });
  }

  #contentOf(name: string): CatalogPackage {
    const content = this.#content.get(name);
    if (content === undefined) throw new Error(`there is no package ${name}`);
    return content;
  }

  #stateOf(name: string): MemberState {
    const state = this.#members.get(name);
    if (state === undefined) throw new Error(`there is no Subscription ${name}`);
    return state;
  }

  #change(name: string, changes: Partial<MemberState>): this {
    this.#members.set(name, { ...this.#stateOf(name), ...changes });
    return this;
  }
}

function named({ metadata, spec }: Revision): {
  readonly revision: string;
  readonly bundle: string;
  readonly version: string;
} {
  return { revision: metadata.name, bundle: spec.bundle, version: spec.version };
}

function provides({ bundles }: CatalogPackage, kind: GroupVersionKind): boolean {
  return bundles.some(({ properties }) => providedKinds(properties).some((one) => kindKey(one) === kindKey(kind)));
}
