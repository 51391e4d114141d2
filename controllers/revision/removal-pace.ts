/** How long a removal waits in a worker, and how long it pauses. Pure. */
import type { Revision } from '../../api/revision.ts';

/** When a Revision that is being deleted was deleted. */
export function removedSince({ metadata }: Revision): Date {
  return new Date(metadata.deletionTimestamp ?? '');
}

/** Seconds after which a removal counts as stuck: nearly all have ended by then. */
const STUCK_SECONDS = 120;

/**
 * How long one step may take in one call, by when its Revision was deleted; a longer step is continued by further calls. A
 * removal that is stuck leaves the worker to others soon: the watches report when the objects that it waits for are gone.
 */
export function removalStepSeconds(since: Date, now: Date): number {
  return secondsSince(since, now) < STUCK_SECONDS ? 10 : 2;
}

/** The longest pause between two checks of a removal that makes no progress: not every object is watched. */
const LONGEST_PAUSE_SECONDS = { Going: 30, Refused: 120 } as const;

/** Seconds between two calls for a removal. */
export function removalPause(progress: 'Going' | 'Refused', since: Date, now: Date): number {
  return Math.min(LONGEST_PAUSE_SECONDS[progress], Math.max(1, secondsSince(since, now) / 4));
}

function secondsSince(since: Date, now: Date): number {
  return (now.getTime() - since.getTime()) / 1000;
}
