/**
 * Which changes of other objects concern a Revision. Each status that the manager writes is a change too: if all of them
 * concerned all Revisions of a Subscription, one roll-out would reconcile its whole history at every step. Pure.
 */
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { hasWorkedInVain, judgeArchived } from './archived.ts';
import { isSettled } from './decide.ts';

/** Whether a change of one Revision concerns the others of its Subscription: they read its spec and its inventory. */
export function isNewsForSiblings(before: Revision, after: Revision): boolean {
  return describe(before) !== describe(after);
}

/** The parts of a Revision that its siblings read: in observe.ts, decide.ts, and genuine.ts, which reads spec and owner. */
function describe(revision: Revision): string {
  const { uid, generation, deletionTimestamp, ownerReferences } = revision.metadata;
  const inventory = revision.status?.inventory ?? [];
  return JSON.stringify([uid, generation, deletionTimestamp, ownerReferences, inventory, isSettled(revision)]);
}

/**
 * Whether a change of nothing but the status of a Subscription concerns a Revision. Only archived ones read that status:
 * it has the reason why they wait, and whether their version failed.
 */
export function isNewsFromStatus(revision: Revision, before: Subscription, after: Subscription): boolean {
  if (revision.spec.state !== 'Archived') return false;
  const judge = (subscription: Subscription): string =>
    JSON.stringify([
      judgeArchived(revision, { subscription, handedOver: true }),
      hasWorkedInVain(revision, subscription),
    ]);
  return judge(before) !== judge(after);
}
