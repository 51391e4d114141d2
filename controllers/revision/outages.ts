/**
 * Time in which the manager was away or stood still, or in which the API server did not answer, says nothing of a bundle: neither
 * the progress deadline nor the wait for a webhook counts it. The deadline goes on after it; the waits begin again.
 */
import { refOf } from '../../api/object.ts';
import type { Cluster } from '../../api/cluster.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { Revision } from '../../api/revision.ts';
import { isOutage, type Failure } from '../../apply/api-failure.ts';
import { secondsOfWork } from './judgement.ts';
import type { RevisionMemory } from './memory.ts';

type Times = Pick<RevisionMemory, 'attendedSince' | 'countedSeconds' | 'unreadableSince' | 'proof'>;

/** An attempt begins. The time of an outage before it does not count, nor the time before the first attempt of this process. */
export function attend(
  memory: Pick<Times, 'attendedSince' | 'countedSeconds'>,
  status: Revision['status'],
  now: Date,
): void {
  const { attendedSince = secondsBefore(now, memory.countedSeconds ?? 0) } = memory;
  // The clock may have been set back since.
  memory.attendedSince = attendedSince > now ? now : attendedSince;
  memory.countedSeconds = Math.max(0, secondsOfWork(status, { now, attendedSince: memory.attendedSince }) ?? 0);
}

function secondsBefore(time: Date, seconds: number): Date {
  return new Date(time.getTime() - seconds * 1000);
}

/** Stops the time that counts at the beginning of this attempt. */
export function noteOutage(memory: Times): void {
  memory.attendedSince = undefined;
  memory.unreadableSince = undefined;
  memory.proof = { ...memory.proof, silentSince: undefined };
}

/** The same if the process has stood still since the last call. @param seconds How long it has stood still until now, since its start. */
export function noteStandstill(memory: Times & Pick<RevisionMemory, 'stoodStillSeconds'>, seconds: number): void {
  if (seconds > (memory.stoodStillSeconds ?? seconds)) noteOutage(memory);
  memory.stoodStillSeconds = seconds;
}

/** Whether an attempt may show only that the API server does not answer: by its error, or else by each of its failures. */
export function metOutage(outcome: unknown, failures: readonly Failure[] = []): boolean {
  if (outcome instanceof ReasonedError) return isOutage(outcome);
  return failures.length > 0 && failures.every(isOutage);
}

/** The result of a part of an attempt. If it throws because the API server does not answer, that is noted. */
export async function notingOutage<Result>(memory: Times, part: Promise<Result>): Promise<Result> {
  try {
    return await part;
  } catch (error) {
    if (metOutage(error)) noteOutage(memory);
    throw error;
  }
}

/**
 * Whether the API server accepts writes: it may fail to store one object for ever, such as one whose aggregated API server is
 * broken. One request, which changes nothing.
 */
export async function acceptsWrites(
  cluster: Pick<Cluster, 'patch'>,
  revision: Revision,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await cluster.patch(refOf(revision), {}, { dryRun: true }, signal);
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
