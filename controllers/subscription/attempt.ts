/** The attempt to carry out a plan: whether the status reports it already, and how much of it must be reported first. Pure. */
import { haveSameBundle } from '../../api/same-bundle.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import { actionOfHeld, heldBeside } from './action.ts';
import type { ResolvedPlan } from './decide.ts';

/** The status that reports a plan, which may still be written while the plan is carried out. */
export interface Announcement {
  /**
   * The Subscription with that status. It is awaited before a Revision is created or made active: a version that failed is known
   * from the status alone, and the write fails if the Subscription was read from a cache that lags.
   */
  readonly written: Promise<Subscription>;
  /** Whether the status shows an earlier attempt of the same action, which has failed. */
  readonly isRepeated: boolean;
}

/**
 * Whether the status already names this attempt: then it is not overwritten, since it may name the error of the last
 * one.
 */
export function isAnnounced(
  { metadata, status }: Subscription,
  { action, quarantined, lastNumber }: ResolvedPlan,
): boolean {
  if (action.do === 'nothing' || action.do === 'await') return false;
  // Its name must not be given again after the Revision of that number is forgotten.
  if ((status?.lastNumber ?? 0) < lastNumber) return false;
  const isCurrent = status?.observedGeneration === metadata.generation;
  return isCurrent && isPending(status?.pending, action) && (status?.quarantined ?? []).length === quarantined.length;
}

type Attempt = Extract<ResolvedPlan['action'], { readonly do: 'create' | 'restore' | 'activate' }>;

/** Whether the pending bundle is the one of the attempt. A Revision that waited until now is none that was tried. */
function isPending(pending: SubscriptionStatus['pending'], action: Attempt): boolean {
  if (action.do === 'activate')
    return pending?.reason === 'Progressing' && pending.revision === action.revision.metadata.name;
  const bundles = [action.target, heldBeside(action)?.target].flatMap((one) => one?.bundle.name ?? []);
  return bundles.includes(pending?.bundle ?? '');
}

/** Whether the status is written before anything else. The manifests of a new Revision are stored meanwhile. */
export function isAnnouncedFirst(subscription: Subscription, plan: ResolvedPlan): boolean {
  return plan.action.do !== 'create' || isQuarantining(subscription, plan);
}

/** A version that failed is recorded before another one is made: a crash must not forget it. */
function isQuarantining({ status }: Subscription, { quarantined }: ResolvedPlan): boolean {
  const known = status?.quarantined ?? [];
  return quarantined.some((one) => !known.some((other) => haveSameBundle(one, other)));
}

/** The plan after an error: the installed version lacks what the spec requests of it, and the next one waits all the same. */
export function withHeld(plan: ResolvedPlan): ResolvedPlan {
  const held = heldBeside(plan.action);
  return held === undefined ? plan : { ...plan, action: actionOfHeld(held), isLacking: true };
}
