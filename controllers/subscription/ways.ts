/**
 * The upgrades that other Subscriptions make by themselves and that need the package of one Subscription: that one is
 * not upgraded past a version that a step of them needs (resolver/dependencies/open-ways.ts). Pure.
 */
import { keyOfObject } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Refusal } from '../../resolver/decision.ts';
import { forgive } from '../../resolver/dependencies/ask.ts';
import type { CatalogSource, UpgradeStep, UpgradeWay } from '../../resolver/input.ts';
import { upgradeGraph } from '../../resolver/graph.ts';
import { readOnce, resolve } from '../../resolver/resolve.ts';
import type { ServerFacts } from '../cluster-facts.ts';
import { propertiesOf } from '../revision-properties.ts';
import { describeSurroundings, installedAmong, isOnItsWay, PERMITTED, type Neighbour } from './neighbours.ts';
import { questionOf } from './question.ts';
import { leadersOf } from './requirements-between.ts';
import { standingOf } from './standing.ts';
import { isHiddenFrom } from './trust.ts';

export interface WayFacts {
  /** The Subscription that is decided about. */
  readonly one: Neighbour;
  readonly neighbours: readonly Neighbour[];
  readonly server: ServerFacts;
  /** The Catalogs of a Subscription, as it sees them. */
  readonly catalogsOf: (subscription: Subscription) => readonly CatalogSource[];
  readonly attendedSince?: Date | undefined;
  readonly now: Date;
}

/**
 * A function that plans the ways when it is called first: only an upgrade needs them. If the time is up before all of
 * them are planned, each of the others has no steps, and the next call plans them.
 */
export function planWays(facts: WayFacts): (expired?: () => boolean) => readonly UpgradeWay[] {
  let leaders: readonly Neighbour[] | undefined;
  let ways: readonly UpgradeWay[] | undefined;
  return (expired) => {
    if (ways !== undefined) return ways;
    leaders ??= leadersOf(facts.one, facts.neighbours).filter(goesOn);
    const planned = leaders.flatMap((other) => {
      const way = wayOf(other, facts, expired);
      if (way === undefined) return [];
      return isHiddenFrom(other.subscription, facts.one.subscription) ? { ...way, hidden: true as const } : way;
    });
    if (expired?.() !== true) ways = planned;
    return planned;
  };
}

/** Whether no person has to act before the Subscription goes on. */
function goesOn({ subscription: { metadata, spec, status } }: Neighbour): boolean {
  if (metadata.deletionTimestamp !== undefined || spec.suspend || spec.dependencies === 'Ignore') return false;
  const { revision, reason } = status?.pending ?? {};
  return revision === undefined || reason === undefined || PERMITTED.has(reason);
}

function wayOf(other: Neighbour, facts: WayFacts, expired?: () => boolean): UpgradeWay | undefined {
  const subscription = keyOfObject(other.subscription);
  const { approval } = other.subscription.spec;
  const isManual = approval === 'Manual';
  if (!isManual && expired?.() === true) return { subscription, steps: [] };
  const planned = isManual ? { steps: stepUnderWay(other) } : planSteps(other, facts, expired);
  // A search that was cut short finds no steps, or others.
  if (!isManual && expired?.() === true) return { subscription, steps: [] };
  if (planned.steps.length === 0 && planned.unread === undefined) return undefined;
  return { subscription, ...planned };
}

type PlannedSteps = Pick<UpgradeWay, 'steps' | 'unread'>;

/** The same resolution that the other Subscription makes, except that no way counts in it. */
function planSteps(
  other: Neighbour,
  { one, neighbours, server, ...facts }: WayFacts,
  expired?: () => boolean,
): PlannedSteps {
  const { subscription } = other;
  const catalogs = facts.catalogsOf(subscription).map((source) => readOnce(forgive(source)));
  const around = [one, ...neighbours.filter((each) => each !== other)];
  const cluster = { ...server, ...describeSurroundings(other, around) };
  const standing = standingOf({ ...other, attendedSince: facts.attendedSince, now: facts.now });
  const decision = resolve(questionOf({ subscription, catalogs, cluster }, standing, expired));
  if (decision.kind === 'none') return { steps: stepUnderWay(other), ...awaitedCatalog(other, catalogs, decision) };
  const content = catalogs.find(({ name }) => name === decision.catalog)?.content(subscription.spec.package);
  const bundles = content === undefined ? undefined : upgradeGraph(content).bundles;
  return {
    steps: decision.path.map(({ bundle }) => ({ bundle, properties: bundles?.get(bundle)?.bundle.properties ?? [] })),
  };
}

/** After a restart the Catalog of an upgrade that has begun may not be read yet. */
function awaitedCatalog(
  { subscription: { status } }: Neighbour,
  catalogs: readonly CatalogSource[],
  { reason }: Refusal,
): Pick<UpgradeWay, 'unread'> {
  const awaited = catalogs.find(
    ({ state, unreadable, selected }) => state === 'Unavailable' && unreadable !== true && selected !== false,
  );
  const hasBegun = (status?.path ?? []).length > 0;
  return reason === 'CatalogUnavailable' && hasBegun && awaited !== undefined ? { unread: awaited.name } : {};
}

/** The Revision that is about to become active. */
function stepUnderWay({ subscription, revisions }: Neighbour): readonly UpgradeStep[] {
  const installed = installedAmong(subscription, revisions);
  const next = revisions.at(-1);
  const isNext = next !== undefined && next.spec.number > (installed?.spec.number ?? 0);
  return isNext && isOnItsWay(subscription, next) ? [{ bundle: next.spec.bundle, properties: propertiesOf(next) }] : [];
}
