/**
 * Time in which the manager was away, or in which the API server did not answer, says nothing of a bundle: neither the
 * progress deadline nor the wait for a webhook counts it. Each begins again with the first attempt after it.
 */
import { isOutage, type Failure } from '../../apply/api-failure.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { RevisionMemory } from './memory.ts';

type Times = Pick<RevisionMemory, 'attendedSince' | 'unreadableSince' | 'proof'>;

/** An attempt begins: the first one of this process, or the first one after an outage, begins the time that counts. */
export function attend(memory: Pick<Times, 'attendedSince'>, now: Date): void {
  const { attendedSince: known = now } = memory;
  // The clock may have been set back since.
  memory.attendedSince = known > now ? now : known;
}

/** Ends the time that counts. */
export function noteOutage(memory: Times): void {
  memory.attendedSince = undefined;
  memory.unreadableSince = undefined;
  memory.proof = { ...memory.proof, silentSince: undefined };
}

/** Whether an attempt shows only that the API server does not answer: by its error, or else by each of its failures. */
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
