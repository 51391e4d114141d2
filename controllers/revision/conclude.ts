/** Ends an attempt: writes the status that follows from its judgement, and schedules the next attempt. */
import { ReasonedError } from '../../api/errors.ts';
import type { Revision } from '../../api/revision.ts';
import type { Result } from '../../kube/controller/controller.ts';
import { markReported } from '../report-defects.ts';
import { writeStatus } from '../status.ts';
import { certificatesDue } from './certificates/due.ts';
import { isSettled } from './decide.ts';
import { underPolicy, type Judgement, type WorkTime } from './judgement.ts';
import { findUnlisted, removeUnlisted } from './late-objects.ts';
import { notingOutage } from './outages.ts';
import { unfollowed } from './own-kinds/observe.ts';
import { CONTEST, contestsIn } from './repair/contests.ts';
import { describeContest } from './repair/describe.ts';
import type { Run } from './run.ts';
import { schedule, type Again, type Attempted, type Schedule } from './schedule.ts';
import { phasesOf, summarizeRevision, type RevisionFindings } from './status.ts';
import { startSecondsOf, type RollOutOutcome } from './steps/explain.ts';

/** After the steps came to a judgement. Throws errors that are to be retried with back-off. */
export async function conclude(run: Run, outcome: RollOutOutcome): Promise<Result> {
  const { clients, memory, now } = run;
  const attempt = describeAttempt(run, outcome);
  // As the time of an outage, that of this wait does not count: the next attempt goes on with the seconds before it.
  if (attempt.found.untimed === true) memory.attendedSince = undefined;
  const next = schedule(attempt, now());
  if (next.write !== 'now') return resultOfSchedule(next.again);
  const written = await notingOutage(memory, writeStatus(clients.cluster, attempt.revision, attempt.status));
  memory.lastWritten = now();
  noteRest(run, next);
  if (isSettled(written)) await settle(run, written);
  return resultOfSchedule(next.again);
}

function describeAttempt(run: Run, outcome: RollOutOutcome): Attempted {
  const { facts, memory, watched, now } = run;
  const { onFailure } = facts.subscription.spec;
  const { judgement: found, unready, applied, pruned } = outcome;
  const { revision = facts.revision, result, leftovers = [] } = applied ?? {};
  const judgement = underPolicy(found, facts.revision, onFailure, timeOf(run));
  const { over } = contestsIn(memory, now());
  const status = summarizeRevision(revision, findingsOf(run, outcome, judgement), now());
  return {
    kind: 'attempted',
    found,
    judgement,
    revision,
    status,
    onFailure,
    attendedSince: memory.attendedSince,
    lastWritten: memory.lastWritten,
    failures: result?.failures ?? [],
    unpruned: pruned?.unpruned,
    isBaking: leftovers.length > 0 && pruned?.inventory === undefined,
    startSeconds: startSecondsOf(run, unready),
    contestsOver: over,
    certificatesDue: certificatesDue(status.inventory ?? [], watched),
    hasUnwatched: unfollowed(watched, status.inventory ?? []).length > 0,
  };
}

function findingsOf(run: Run, { applied, pruned }: RollOutOutcome, judgement: Judgement): RevisionFindings {
  const common = { judgement, contested: describeContests(run) };
  if (applied === undefined) return common;
  const { result, repaired } = applied;
  const { inventory = result.inventory } = pruned ?? {};
  return { ...common, ...repaired, phases: phasesOf(result), inventory };
}

function describeContests({ memory, now }: Run): readonly string[] {
  const { contests } = contestsIn(memory, now());
  return contests.map(({ repair, times }) => describeContest(repair, times, CONTEST.minutes));
}

function noteRest({ memory, circumstances }: Run, { rest }: Schedule): void {
  if (rest !== undefined) memory.refusal = { circumstances, ...rest };
}

/**
 * Drops the memory of the roll-out, and removes objects that a former leader made too late. Throws the reason if one
 * cannot be removed, so that it is retried.
 */
async function settle({ facts, clients, watched, shared, signal }: Run, revision: Revision): Promise<void> {
  shared.memories.drop(revision, 'settled');
  const unlisted = findUnlisted({ ...facts, revision }, { ...shared, managed: watched });
  if (unlisted.length > 0) await removeUnlisted({ ...clients, ...shared }, facts, { unlisted, signal });
}

/**
 * After an error that ended the steps before the objects were applied: it is written into the status, and retried unless
 * it is final. Throws it then.
 */
export async function concludeError(run: Run, error: ReasonedError): Promise<Result> {
  const { facts, clients, memory, now } = run;
  const { onFailure } = facts.subscription.spec;
  const judgement = judgeError(run, error);
  const status = summarizeRevision(facts.revision, { judgement, contested: describeContests(run) }, now());
  await writeStatus(clients.cluster, facts.revision, status);
  const next = schedule(
    { kind: 'broken', error, judgement, status, onFailure, attendedSince: memory.attendedSince },
    now(),
  );
  noteRest(run, next);
  return resultOfSchedule(next.again);
}

/** The deadline ends only final errors: any other, such as an API server that does not answer, says nothing of the bundle. */
function judgeError(run: Run, error: ReasonedError): Judgement {
  const { revision, subscription } = run.facts;
  const isFinal = error.retry === 'never';
  const found = { state: isFinal ? 'Failed' : 'Working', reason: error.reason, message: error.describe() } as const;
  return isFinal ? underPolicy(found, revision, subscription.spec.onFailure, timeOf(run)) : found;
}

function timeOf({ memory, now }: Run): WorkTime {
  return { now: now(), attendedSince: memory.attendedSince };
}

/** The schedule as the work queue takes it. Throws an error that the queue is to retry; the status reports it already. */
export function resultOfSchedule(again: Again): Result {
  if (typeof again === 'string') return undefined;
  if ('error' in again) throw markReported(again.error);
  return { requeueAfterSeconds: again.inSeconds };
}
