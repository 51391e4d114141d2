/**
 * How long the news of a Revision may wait before its Subscription looks at them: the steps of a roll-out follow each
 * other fast, and a Subscription tells of them together. Pure; the wiring asks it about each event of the watch.
 */
import { findCondition } from '../../api/conditions.ts';
import type { Revision } from '../../api/revision.ts';
import type { WatchEventOf } from '../../kube/controller/controller.ts';

/** Of what is told together. */
const PROGRESS_SECONDS = 0.5;

/** Seconds: a success, a failure, an end and whatever a person decides are news at once; a beginning and progress wait. */
export function delayOfProgress(event: WatchEventOf<Revision>): number {
  if (event.type === 'deleted') return 0;
  const next = event.object;
  const old = event.type === 'updated' ? event.old : undefined;
  return isOutcome(old, next) || isDecided(old, next) ? 0 : PROGRESS_SECONDS;
}

/** Whether it works now, or does not any more, or has failed for another reason than before. */
function isOutcome(old: Revision | undefined, next: Revision): boolean {
  return outcomeOf(old) !== outcomeOf(next);
}

/** Undefined while it is on its way. */
function outcomeOf(revision: Revision | undefined): string | undefined {
  const conditions = revision?.status?.conditions;
  const ready = findCondition(conditions, 'Ready');
  if (ready?.status === 'True') return `Ready ${findCondition(conditions, 'Reconciling') === undefined}`;
  // What was archived tells by that alone; what its successor comes to is the news.
  if (revision?.spec.state === 'Archived') return undefined;
  const stalled = findCondition(conditions, 'Stalled');
  if (stalled !== undefined) return `Stalled ${stalled.reason} ${stalled.message}`;
  return findCondition(conditions, 'Reconciling') === undefined ? ready?.reason : undefined;
}

/** Whether somebody has approved it, or wants it gone. */
function isDecided(old: Revision | undefined, next: Revision): boolean {
  if (old === undefined) return false;
  return old.spec.approved !== next.spec.approved || old.metadata.deletionTimestamp !== next.metadata.deletionTimestamp;
}
