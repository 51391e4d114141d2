/**
 * Decides what a Revision needs now. Pure: a function of the caches' content.
 *
 * The active Revision owns everything that the Subscription has in the cluster: its inventory takes in those of the
 * others as soon as it begins, and their leftovers are pruned once it is healthy.
 */
import { identityOf } from '../../apply/identity.ts';
import { findCondition, isReady } from '../../api/conditions.ts';
import { activeOf, type Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { hasFinalizer } from '../finalizer.ts';
import { problemOf } from '../genuine.ts';
import type { ActiveFacts, RevisionFacts } from './observe.ts';

export type RevisionPlan =
  /**
   * The manager did not make it: nothing is applied, deleted or taken over; if it is deleted, only the finalizer goes.
   */
  | { readonly kind: 'invalid'; readonly problem: string }
  /** Delete its objects, then release it. */
  | { readonly kind: 'remove' }
  /** Release it; its objects stay, and the next active Revision takes them over. */
  | { readonly kind: 'release' }
  /** Another Revision is removed first. */
  | { readonly kind: 'waitForActive'; readonly name: string }
  | { readonly kind: 'archived'; readonly handedOver: boolean }
  | { readonly kind: 'awaitApproval' }
  | { readonly kind: 'suspended'; readonly subscription: Subscription }
  | { readonly kind: 'rollOut'; readonly facts: ActiveFacts }
  | { readonly kind: 'nothing' };

export function decideRevision({ revision, subscription, siblings }: RevisionFacts): RevisionPlan {
  const problem = problemOf(revision, subscription);
  if (problem !== undefined) return { kind: 'invalid', problem };
  if (revision.metadata.deletionTimestamp !== undefined) return decideDeletion({ revision, subscription, siblings });
  if (subscription === undefined || subscription.metadata.deletionTimestamp !== undefined) return { kind: 'nothing' };
  if (revision.spec.state === 'Archived') return { kind: 'archived', handedOver: isHandedOver(revision, siblings) };
  // A former leader's write has arrived late: the controller of Subscriptions decides which of the two stays active.
  if (activeOf(siblings) !== undefined) return { kind: 'nothing' };
  if (!revision.spec.approved) return { kind: 'awaitApproval' };
  if (subscription.spec.suspend) return { kind: 'suspended', subscription };
  return { kind: 'rollOut', facts: { revision, subscription, siblings } };
}

function decideDeletion({ revision, subscription, siblings }: RevisionFacts): RevisionPlan {
  if (!hasFinalizer(revision)) return { kind: 'nothing' };
  if (subscription !== undefined && subscription.metadata.deletionTimestamp === undefined) {
    // In a namespace that is deleted, Revisions may go before their Subscription: their inventory must not be lost.
    const known = (revision.status?.inventory ?? []).length > 0 && !isHandedOver(revision, siblings);
    return known ? { kind: 'nothing' } : { kind: 'release' };
  }
  const active = activeOf(siblings);
  // The running operator finalizes its custom resources, so the active Revision, which installed it, decides the order
  // of removal.
  if (revision.spec.state === 'Archived' && active !== undefined) {
    const isHistory = (revision.status?.inventory ?? []).length === 0;
    return isHistory ? { kind: 'release' } : { kind: 'waitForActive', name: active.metadata.name };
  }
  return { kind: 'remove' };
}

/** Whether an active Revision has all entries of an archived one in its inventory, or has pruned its leftovers. */
function isHandedOver({ status }: Revision, siblings: readonly Revision[]): boolean {
  const active = activeOf(siblings);
  if (active === undefined) return false;
  const covered = new Set(active.status?.inventory?.map(identityOf));
  return isSettled(active) || (status?.inventory ?? []).every((entry) => covered.has(identityOf(entry)));
}

/** Whether everything is applied, healthy and pruned, for the current spec. */
export function isSettled(revision: Revision): boolean {
  return isHealthy(revision) && findCondition(revision.status?.conditions, 'Reconciling') === undefined;
}

/** Whether everything is applied and healthy, for the current spec; leftovers may still wait to be pruned. */
export function isHealthy({ metadata, status }: Revision): boolean {
  return isReady({ metadata, status: status ?? {} });
}
