/**
 * One attempt to bring an active Revision into the cluster: runs the steps as far as possible now. The watches cause the
 * next attempt, or the schedule does. An object that is in place and unchanged costs no request.
 */
import { ReasonedError } from '../../api/errors.ts';
import type { ObjectRef } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { isIntact, refOfEntry } from '../../apply/inventory.ts';
import type { Result } from '../../kube/controller/controller.ts';
import { addFinalizer } from '../finalizer.ts';
import { circumstancesOf, isRefusedAsBefore } from './circumstances.ts';
import { clientsOf } from './clients.ts';
import { conclude, concludeError, resultOfSchedule } from './conclude.ts';
import type { Judgement } from './judgement.ts';
import type { RevisionFacts } from './observe.ts';
import { acceptsWrites, attend, metOutage, noteOutage, notingOutage } from './outages.ts';
import { Rehearsal } from './rehearsal/rehearsal.ts';
import { lastContestedRepair } from './repair/contests.ts';
import type { Run, SharedParts, Step } from './run.ts';
import { schedule, type Again } from './schedule.ts';
import { explain, explainError } from './steps/explain.ts';

export type ActiveFacts = RevisionFacts & { readonly subscription: Subscription };

/** Throws errors that are to be retried with back-off, after they were written into the status. */
export async function rollOut(
  steps: readonly Step[],
  shared: SharedParts,
  { facts, signal }: { readonly facts: ActiveFacts; readonly signal: AbortSignal },
): Promise<Result> {
  const again = whenToBegin(shared, facts);
  if (again !== 'now') return resultOfSchedule(again);
  const run = await beginRun(shared, facts, signal);
  const outcome = await notingOutage(run.memory, attempt(steps, run));
  const isSuspect = metOutage(outcome, run.results.applied?.failures);
  if (isSuspect && !(await acceptsWrites(shared.client, run.facts.revision, signal))) noteOutage(run.memory);
  return outcome instanceof ReasonedError ? concludeError(run, outcome) : conclude(run, outcome);
}

/** Later than now if the last attempt was rejected in the same circumstances, or in a contest with another program. */
function whenToBegin({ memories, managed, now }: SharedParts, facts: RevisionFacts): Again {
  const memory = memories.of(facts.revision);
  if (memory.refusal !== undefined && isRefusedAsBefore(memory, facts, managed)) {
    const { again } = schedule({ kind: 'refused', until: memory.refusal.until }, now());
    if (again !== 'now') return again;
  }
  const repairedAt = lastContestedRepair(memory, astrayIn(managed, facts.revision), now());
  return repairedAt === undefined ? 'now' : schedule({ kind: 'contested', repairedAt }, now()).again;
}

/** The objects that are not as they were applied, as far as the watches know. */
function astrayIn(watched: Run['watched'], { status }: Revision): readonly ObjectRef[] {
  const inventory = status?.inventory ?? [];
  return inventory.filter((entry) => !isIntact(entry, watched.get(refOfEntry(entry)))).map(refOfEntry);
}

/** The circumstances are those at the beginning, so that a change during the attempt counts. */
async function beginRun(shared: SharedParts, cached: ActiveFacts, signal: AbortSignal): Promise<Run> {
  const { client, managed, memories, now, probeWebhooks = true } = shared;
  const circumstances = circumstancesOf(cached, managed);
  const memory = memories.of(cached.revision);
  memory.refusal = undefined;
  const facts = { ...cached, revision: await addFinalizer(client, cached.revision) };
  attend(memory, facts.revision.status, now());
  const probing = { cluster: client, managed, now, probeWebhooks, patienceMs: shared.webhookPatienceMs };
  return {
    facts,
    circumstances,
    clients: clientsOf(client, facts),
    watched: managed,
    memory,
    now,
    signal,
    rehearsal: new Rehearsal(probing, facts, memory),
    shared,
    results: {},
  };
}

/** The outcome of the steps, with its cause. */
async function attempt(steps: readonly Step[], run: Run): Promise<Judgement | ReasonedError> {
  const found = await runSteps(steps, run);
  return found instanceof ReasonedError ? explainError(run, found) : explain(run, found);
}

/**
 * The judgement of the first step that has one; or the error that ended the steps before the objects were applied, which
 * is an outcome too. Throws all other errors, and a Conflict, since a newer state is about to arrive.
 */
async function runSteps(steps: readonly Step[], run: Run): Promise<Judgement | ReasonedError> {
  try {
    for (const step of steps) {
      const judgement = await step(run);
      if (judgement !== undefined) return judgement;
    }
  } catch (error) {
    if (isOutcome(error) && run.results.applied === undefined) return error;
    throw error;
  }
  throw new Error('no step has ended the run');
}

function isOutcome(error: unknown): error is ReasonedError {
  return error instanceof ReasonedError && error.reason !== 'Conflict' && error.reason !== 'LeaderLost';
}
