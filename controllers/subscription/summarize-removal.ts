/** The status of a Subscription that is being deleted: how far its uninstall is, and the cause for which it waits. Pure. */
import { findCondition, type Condition, type NextCondition } from '../../api/conditions.ts';
import { nameSome } from '../../api/name-some.ts';
import type { Reason } from '../../api/reasons.ts';
import { activeOf, type Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import { PASSING } from '../report-defects.ts';
import { atRest, judge } from './summarize.ts';

/** A Subscription that needs another one. */
export interface Dependent {
  /** `namespace/name`. */
  readonly key: string;
  /** Whether it is being removed too. */
  readonly isLeaving: boolean;
}

export interface UninstallProgress {
  readonly revisions: readonly Revision[];
  /** Subscriptions that have to go first. */
  readonly waitsFor: readonly Dependent[];
  /** Why nothing is deleted until a person acts. */
  readonly held?: string;
  readonly now: Date;
}

/** The status while the Subscription is being deleted. */
export function summarizeRemoval(
  subscription: Subscription,
  { revisions, waitsFor, held: why, now }: UninstallProgress,
): SubscriptionStatus {
  const telling = activeOf(revisions) ?? revisions[0];
  const ready = findCondition(telling?.status?.conditions, 'Ready');
  const held = why !== undefined || waitsFor.some(({ isLeaving }) => !isLeaving);
  // A condition about the removal, not from before: marking an object for deletion makes a new generation of it.
  const isReported = !held && waitsFor.length === 0 && ready?.status === 'False' && isJudged(telling, ready);
  const reported = isReported ? ready : undefined;
  const blocked = held || reported?.reason === 'DeleteBlocked';
  const reason: Reason = held ? 'DeleteBlocked' : reported === undefined ? 'Uninstalling' : (reported.reason as Reason);
  const waits = why ?? reported?.message ?? describeRemoval(waitsFor);
  const takesLong = isProgress(reason) && secondsSince(subscription, now) >= LONG_SECONDS;
  const message = takesLong ? `${LONG}${waits}` : waits;
  const progress: NextCondition = { type: blocked ? 'Stalled' : 'Reconciling', status: 'True', reason, message };
  const conditions: NextCondition[] = [{ type: 'Ready', status: 'False', reason, message }, progress];
  return { ...atRest(subscription), conditions: judge(subscription, conditions, now) };
}

/** Whether an uninstall for this reason goes on by itself as a rule: an answer that the next attempt cures is no trouble yet. */
export function isProgress(reason: Reason): boolean {
  return reason === 'Uninstalling' || PASSING.has(reason);
}

/** After this time an uninstall says so: an object may be held, or refused with a conflict, for ever. */
export const LONG_SECONDS = 120;
const LONG = 'It takes longer than two minutes: ';

/** Whether a condition says that an uninstall takes long. */
export function isLong({ message }: Pick<Condition, 'message'>): boolean {
  return message.startsWith(LONG);
}

/** In whole seconds, since the deletion was requested. The clock of the API server may be ahead of ours. */
export function secondsSince({ metadata: { deletionTimestamp = '' } }: Subscription, now: Date): number {
  return Math.max(0, Math.round((now.getTime() - Date.parse(deletionTimestamp)) / 1000)) || 0;
}

/** Whether a condition is about the object since its deletion was requested. */
function isJudged(revision: Revision | undefined, { observedGeneration }: Condition): boolean {
  const { deletionTimestamp, generation } = revision?.metadata ?? {};
  return deletionTimestamp !== undefined && observedGeneration === generation;
}

function describeRemoval(waitsFor: readonly Dependent[]): string {
  if (waitsFor.length === 0) return 'The operator is being removed';
  const keys = waitsFor.map(({ key }) => key);
  const stays = waitsFor.find(({ isLeaving }) => !isLeaving);
  const advice =
    stays === undefined ? '' : `. Delete Subscription ${stays.key}, or set its spec.dependencies to Ignore`;
  return `Waits until the Subscriptions that depend on it are removed: ${nameSome(keys, 5)}${advice}`;
}
