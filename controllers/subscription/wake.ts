/** Which other Subscriptions a change of one concerns: those that wait for an installation or a removal. Pure. */
import { findCondition } from '../../api/conditions.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import type { WatchEventOf } from '../../kube/controller/controller.ts';
import type { Cause, Decision } from '../../resolver/decision.ts';
import { ruledOutBy } from '../../resolver/published-again.ts';
import { needsPerson } from './needs-person.ts';
import { mayHold } from './trust.ts';

/** The Subscriptions that wait for others, if an event of one Subscription may change their plan. */
export function wokenBy(all: readonly Subscription[], event: WatchEventOf<Subscription>): readonly Subscription[] {
  const [before, after] = statesOf(event);
  return all.filter((waiting) => waitsForOthers(waiting) && isNewsFor(waiting, before, after));
}

/** The states of a Subscription before and after an event. */
function statesOf(event: WatchEventOf<Subscription>): readonly [Subscription | undefined, Subscription | undefined] {
  const object = event.object;
  switch (event.type) {
    case 'updated':
      return [event.old, object];
    case 'deleted':
      return [object, undefined];
    default:
      return [undefined, object];
  }
}

/**
 * Whether a change of one Subscription may change the plan of another. An installation or a removal concerns all, since
 * any may use it; other changes only those that it may hold back.
 * @param before Absent if it is new. @param after Absent if it is gone.
 */
export function isNewsFor(
  waiting: Subscription,
  before: Subscription | undefined,
  after: Subscription | undefined,
): boolean {
  if (before?.status?.installed?.revision !== after?.status?.installed?.revision) return true;
  const held = [before, after].some((one) => one !== undefined && mayHold(one, waiting));
  return held && (before === undefined || after === undefined || isChanged(before, after));
}

function isChanged(before: Subscription, after: Subscription): boolean {
  return (
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    before.metadata.generation !== after.metadata.generation ||
    before.status?.pending?.reason !== after.status?.pending?.reason ||
    needsPerson(before) !== needsPerson(after) ||
    before.status?.quarantined?.length !== after.status?.quarantined?.length
  );
}

/** Whether a Subscription's decision can depend on the installations of others. */
export function waitsForOthers({ metadata, status }: Subscription): boolean {
  const heldBack = status?.refused?.some(({ reason }) => reason === 'DependencyNotReady') === true;
  // A CRD that moves from another package has that one as its owner meanwhile.
  const collides = findCondition(status?.conditions, 'Reconciling')?.reason === 'Collision';
  return metadata.deletionTimestamp !== undefined || heldBack || collides || lacksSomething(status);
}

/** Whether a bundle would be chosen in another cluster: with other packages, kinds or versions in it. */
export function isHeldBack({ refused }: Decision): boolean {
  return refused.some(({ cause }) => CLUSTER_CAUSES.has(ruledOutBy(cause).kind));
}

const CLUSTER_CAUSES: ReadonlySet<Cause['kind']> = new Set(['dependency', 'kubernetesTooOld']);

/** Whether a Subscription waits for a change that is not watched, such as another operator's kinds. */
export function lacksSomething(status: SubscriptionStatus | undefined): boolean {
  return (
    status?.pending?.reason === 'DependencyNotReady' ||
    // Reconciling if another package is about to make way
    (['Stalled', 'Reconciling'] as const).some(
      (type) => findCondition(status?.conditions, type)?.reason === 'ResolutionFailed',
    )
  );
}
