/**
 * Keeps the status of a Revision from being written at every step of a roll-out: a status that differs only in progress
 * waits until a few seconds have passed since the last write. Applied objects, success and failure are written at once.
 */
import { findCondition } from '../../api/conditions.ts';
import { canonicalJson } from '../../api/json.ts';
import { createRecent } from '../recent.ts';
import type { Revision, RevisionStatus } from '../../api/revision.ts';

/** The shortest time between two writes that differ only in progress. */
const PACE_SECONDS = 5;

export interface ProgressPace {
  /** Seconds until this status is to be written; 0 for now. */
  secondsLeft(revision: Revision, next: RevisionStatus, now: Date): number;
  /** The status of the Revision was written. */
  wrote(revision: Revision, now: Date): void;
  forget(revision: Revision): void;
}

export function createProgressPace(): ProgressPace {
  const written = createRecent<number>();
  return {
    secondsLeft(revision, next, now) {
      const last = written.get(keyOf(revision));
      if (last === undefined || !isMereProgress(revision.status ?? {}, next)) return 0;
      return Math.max(0, PACE_SECONDS - (now.getTime() - last) / 1000);
    },
    wrote: (revision, now) => written.set(keyOf(revision), now.getTime()),
    forget: (revision) => written.delete(keyOf(revision)),
  };
}

function keyOf({ metadata }: Revision): string {
  return metadata.uid ?? `${metadata.namespace}/${metadata.name}`;
}

/** Whether the roll-out is in progress before and after, for the same reason and with the same objects applied. */
function isMereProgress(before: RevisionStatus, next: RevisionStatus): boolean {
  const facts = (status: RevisionStatus): unknown => [
    (status.conditions ?? []).map(({ type, status: value, reason }) => [type, value, reason]),
    status.inventory ?? [],
    status.observedGeneration ?? 0,
  ];
  const underWay = findCondition(next.conditions, 'Reconciling') !== undefined;
  return underWay && canonicalJson(facts(before)) === canonicalJson(facts(next));
}
