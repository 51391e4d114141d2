/**
 * When a Revision comes again, and when its status is written: the single answer to both. Pure. Watches report most
 * changes; this is about all others, such as a deadline, a retry, or the end of the bake time.
 */
import { findCondition, isReady } from '../../api/conditions.ts';
import { parseDuration } from '../../api/duration.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { Revision, RevisionStatus } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { BAKE_TIME_BOUNDS } from '../../api/subscription-spec.ts';
import type { Failure } from '../../apply/api-failure.ts';
import { secondsUntilDue } from './certificates/due.ts';
import { patienceOf } from './explain-unready.ts';
import { retryOf } from './judge-apply.ts';
import { deadlineSecondsOf, secondsOfWork, type Judgement } from './judgement.ts';
import type { RememberedRefusal } from './memory.ts';
import { isMereProgress } from './mere-progress.ts';
import { CONTEST } from './repair/contests.ts';

/** Why a Revision is at rest, or the outcome of the work on it. */
export type ScheduledSituation =
  /** The last attempt was rejected, and its circumstances are the same. */
  | { readonly kind: 'refused'; readonly until: RememberedRefusal['until'] }
  /** Only objects that another program changes back each time are to be repaired. */
  | { readonly kind: 'contested'; readonly repairedAt: Date }
  | Attempted
  | Broken
  /** `Refused`: it makes no progress before a person grants a right or changes the spec, which no watch reports. */
  | { readonly kind: 'removing'; readonly progress: 'Going' | 'Refused'; readonly since: Date };

/** The steps of an attempt came to a judgement. */
export interface Attempted {
  readonly kind: 'attempted';
  /** The judgement of the steps. */
  readonly found: Judgement;
  /** The judgement that the status shows: see underPolicy. */
  readonly judgement: Judgement;
  /** The Revision with its status until now. */
  readonly revision: Revision;
  /** Its next status. */
  readonly status: RevisionStatus;
  readonly onFailure: Subscription['spec']['onFailure'];
  /** Since when the progress deadline counts: see WorkTime. */
  readonly attendedSince?: Date | undefined;
  /** The last write of the status. */
  readonly lastWritten?: Date | undefined;
  /** Of the apply. */
  readonly failures: readonly Failure[];
  /** Why a leftover could not be deleted. */
  readonly unpruned?: Failure | undefined;
  /** Whether leftovers are still to be pruned, when the bake time is over. A watch reports the end of one that is deleted. */
  readonly isBaking: boolean;
  /** Seconds for which a Deployment is left to start. */
  readonly startSeconds: number;
  /** When the last contest ends if nothing more happens. */
  readonly contestsOver?: Date | undefined;
  /** When the first certificate needs its next step. */
  readonly certificatesDue?: Date | undefined;
  /** Whether it has custom resources without a watch. */
  readonly hasUnwatched: boolean;
}

/** An attempt ended with an error before the objects were applied. */
export interface Broken extends Pick<Attempted, 'judgement' | 'status' | 'onFailure' | 'attendedSince'> {
  readonly kind: 'broken';
  readonly error: ReasonedError;
}

/** `now`: without a pause. `error`: the work queue retries, with its growing delays or as the error asks. */
export type Again = 'now' | 'never' | { readonly inSeconds: number } | { readonly error: ReasonedError };

export interface Schedule {
  /** When the status is written; `never` if it stays as it is. */
  readonly write: 'now' | 'never' | { readonly inSeconds: number };
  readonly again: Again;
  /** The attempt was rejected: until when it rests if no circumstance changes; without a time for good. */
  readonly rest?: Pick<RememberedRefusal, 'until'>;
}

/** The schedule of a situation. */
export function schedule(situation: ScheduledSituation, now: Date): Schedule {
  switch (situation.kind) {
    case 'refused':
      return {
        write: 'never',
        again: situation.until === undefined ? 'never' : after(secondsLeft(situation.until, now, LATEST_RETRY_SECONDS)),
      };
    case 'contested':
      return { write: 'never', again: after(pauseSince(situation.repairedAt, now, CONTEST.pauseSeconds)) };
    case 'attempted':
      return scheduleAttempted(situation, now);
    case 'broken':
      return scheduleBroken(situation, now);
    case 'removing':
      return { write: 'never', again: { inSeconds: removalPause(situation.progress, situation.since, now) } };
  }
}

function secondsUntil(time: Date, now: Date): number {
  return (time.getTime() - now.getTime()) / 1000;
}

/** The same for a time that was at most `most` seconds ahead when it was set; 0 if the clock was set back since. */
function secondsLeft(time: Date, now: Date, most: number): number {
  const seconds = secondsUntil(time, now);
  return seconds > most ? 0 : seconds;
}

/** Seconds that are left of a pause since a time; 0 if the clock was set back since. */
function pauseSince(time: Date, now: Date, pauseSeconds: number): number {
  return secondsLeft(new Date(time.getTime() + pauseSeconds * 1000), now, pauseSeconds);
}

function after(seconds: number): Again {
  return seconds > 0 ? { inSeconds: seconds } : 'now';
}

/** The shortest time between two writes that differ only in progress: the first explanation comes with one of them. */
const PACE_SECONDS = 10;

/**
 * A status that differs only in progress waits for a while, so that not every step of a roll-out writes one; applied
 * objects, success and failure are written at once.
 */
function scheduleAttempted(attempt: Attempted, now: Date): Schedule {
  const { found, revision, status, lastWritten } = attempt;
  const isPaced = lastWritten !== undefined && isMereProgress(revision.status ?? {}, status);
  const inSeconds = isPaced ? Math.max(0, pauseSince(lastWritten, now, PACE_SECONDS)) : 0;
  if (inSeconds > 0) return { write: { inSeconds }, again: againAfter(attempt, inSeconds, now) };
  if (found.state === 'Failed') return { write: 'now', ...restAfter(attempt, now) };
  return { write: 'now', again: againAfter(attempt, 0, now) };
}

/** A rejected Revision rests: until the next attempt if it is to be retried, else until a circumstance changes. */
function restAfter(
  { status, onFailure, attendedSince }: Pick<Attempted, 'status' | 'onFailure' | 'attendedSince'>,
  now: Date,
): Required<Pick<Schedule, 'again' | 'rest'>> {
  const worked = secondsOfWork(status, { now, attendedSince });
  if (worked === undefined) return { again: 'never', rest: { until: undefined } };
  const inSeconds = retryDelay(worked, deadlineSecondsOf(onFailure));
  return { again: { inSeconds }, rest: { until: new Date(now.getTime() + inSeconds * 1000) } };
}

const [SOONEST_RETRY_SECONDS, LATEST_RETRY_SECONDS] = [5, 300];

/**
 * Seconds until the next attempt: as long as the attempts have lasted so far, so that the pause doubles. The last
 * attempt is at the deadline.
 */
export function retryDelay(workedSeconds: number, deadlineSeconds: number): number {
  const left = Math.max(1, deadlineSeconds - workedSeconds);
  return Math.min(left, LATEST_RETRY_SECONDS, Math.max(SOONEST_RETRY_SECONDS, workedSeconds));
}

/** How often custom resources without a watch are read, and how often Pods that take longer than usual. */
const [READ_AGAIN_SECONDS, PATIENCE_SECONDS] = [60, 30];

function againAfter(attempt: Attempted, paceSeconds: number, now: Date): Again {
  const { judgement, unpruned, revision, status, onFailure, startSeconds, contestsOver } = attempt;
  const isHealthy = isReady({ metadata: revision.metadata, status });
  if (judgement.askAgainSeconds !== undefined) return { inSeconds: judgement.askAgainSeconds };
  const error = errorOf(attempt.failures) ?? (unpruned && new ReasonedError({ ...unpruned, retry: 'backoff' }));
  if (error !== undefined) return { error };
  if (attempt.isBaking && isHealthy) return { inSeconds: Math.max(0.1, bakeSecondsLeft(status, onFailure, now)) };
  const overSeconds = contestsOver === undefined ? 0 : secondsUntil(contestsOver, now);
  const pauses = [startSeconds, paceSeconds, overSeconds].filter((seconds) => seconds > 0);
  const worked = secondsOfWork(status, { now, attendedSince: attempt.attendedSince });
  if (worked === undefined) return whenDue(attempt, pauses, now);
  // A watch may not report the end of a leftover that a finalizer holds.
  if (isHealthy) return { inSeconds: Math.max(1, Math.min(PATIENCE_SECONDS, ...pauses)) };
  const deadline = deadlineSecondsOf(onFailure);
  const patience = worked < patienceOf(deadline) ? patienceOf(deadline) - worked : PATIENCE_SECONDS;
  return { inSeconds: Math.max(1, Math.min(patience, deadline - worked, ...pauses)) };
}

/** The first failure of an apply, with the soonest retry of all; undefined if none is to be retried. */
function errorOf(failures: readonly Failure[]): ReasonedError | undefined {
  const retry = retryOf(failures);
  const [failure] = failures;
  return failure === undefined || retry === undefined ? undefined : new ReasonedError({ ...failure, retry });
}

/** Seconds until leftovers may be pruned. */
export function bakeSecondsLeft(
  status: RevisionStatus | undefined,
  { bakeTime }: Pick<Subscription['spec']['onFailure'], 'bakeTime'>,
  now: Date,
): number {
  const bake = parseDuration(bakeTime, BAKE_TIME_BOUNDS);
  const ready = findCondition(status?.conditions, 'Ready');
  return ready?.status === 'True' ? bake + secondsUntil(new Date(ready.lastTransitionTime), now) : bake;
}

/**
 * Causes that no watch reports: certificates expire, some custom resources are not watched, and a contest ends when
 * nothing more happens.
 */
function whenDue({ certificatesDue, hasUnwatched }: Attempted, pauses: readonly number[], now: Date): Again {
  const certificates = secondsUntilDue(certificatesDue, now) ?? [];
  const due = [...pauses, certificates, hasUnwatched ? READ_AGAIN_SECONDS : []].flat();
  return due.length === 0 ? 'never' : { inSeconds: Math.min(...due) };
}

/** An error that no retry cures is a rejection; with the strategy Retry it is tried again all the same. */
function scheduleBroken({ error, judgement, ...broken }: Broken, now: Date): Schedule {
  if (error.retry !== 'never') return { write: 'now', again: { error } };
  if (judgement.state === 'Working') return { write: 'now', ...restAfter(broken, now) };
  return { write: 'now', again: { error }, rest: { until: undefined } };
}

/** The longest pause between two checks of a removal that makes no progress: no watch reports the end of its wait. */
const LONGEST_PAUSE_SECONDS = { Going: 30, Refused: 120 } as const;

function removalPause(progress: 'Going' | 'Refused', since: Date, now: Date): number {
  return Math.min(LONGEST_PAUSE_SECONDS[progress], Math.max(1, -secondsUntil(since, now) / 4));
}
