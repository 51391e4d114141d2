/**
 * How long a change of a Revision may wait before its Subscription is reconciled: the steps of a roll-out follow each
 * other fast, and a Subscription reports several at once. Pure; the wiring calls it for each event of the watch.
 */
import { findCondition } from '../../api/conditions.ts';
import { canonicalJson } from '../../api/json.ts';
import type { Revision } from '../../api/revision.ts';
import type { WatchEventOf } from '../../kube/controller/controller.ts';

/** The delay of changes that are reported together: within it most operators work, and their progress needs no report. */
const PROGRESS_SECONDS = 2;

/** Seconds: 0 for a success, a failure, a deletion, a plan and a person's decision; a beginning and progress wait. */
export function delayOfProgress(event: WatchEventOf<Revision>): number {
  if (event.type === 'deleted') return 0;
  const next = event.object;
  const old = event.type === 'updated' ? event.old : undefined;
  return isOutcome(old, next) || isDecided(old, next) || isPlanned(old, next) ? 0 : PROGRESS_SECONDS;
}

/** Whether it works now, works no longer, or has failed for another reason than before. */
function isOutcome(old: Revision | undefined, next: Revision): boolean {
  return outcomeOf(old) !== outcomeOf(next);
}

/** Undefined while its roll-out is in progress. */
function outcomeOf(revision: Revision | undefined): string | undefined {
  const conditions = revision?.status?.conditions;
  const ready = findCondition(conditions, 'Ready');
  if (ready?.status === 'True') return `Ready ${findCondition(conditions, 'Reconciling') === undefined}`;
  // That it was archived is no outcome; the outcome of its successor is.
  if (revision?.spec.state === 'Archived') return undefined;
  const stalled = findCondition(conditions, 'Stalled');
  if (stalled !== undefined) return `Stalled ${stalled.reason} ${stalled.message}`;
  return findCondition(conditions, 'Reconciling') === undefined ? ready?.reason : undefined;
}

/** Whether a person has approved it, or it is being deleted. */
function isDecided(old: Revision | undefined, next: Revision): boolean {
  if (old === undefined) return false;
  return old.spec.approved !== next.spec.approved || old.metadata.deletionTimestamp !== next.metadata.deletionTimestamp;
}

/** Whether its plan was made, or made again. */
function isPlanned(old: Revision | undefined, next: Revision): boolean {
  return canonicalJson(old?.status?.plan ?? null) !== canonicalJson(next.status?.plan ?? null);
}
