/**
 * One attempt to bring an active Revision into the cluster: runs the steps as far as possible now. The watches cause the
 * next attempt, or the schedule does. An object that is in place and unchanged costs no request.
 */
import { ReasonedError } from '../../api/errors.ts';
import type { ObjectRef } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { isIntact, refOfEntry } from '../../apply/inventory.ts';
import type { Result } from '../../kube/controller/controller.ts';
import { addFinalizer } from '../finalizer.ts';
import { circumstancesOf, isRefusedAsBefore } from './circumstances.ts';
import { clientsOf } from './clients.ts';
import { conclude, concludeError, resultOfSchedule } from './conclude.ts';
import { LOADS } from '../loads.ts';
import type { ActiveFacts, RevisionFacts } from './observe.ts';
import { acceptsWrites, attend, metOutage, noteOutage, noteStandstill, notingOutage } from './outages.ts';
import { Rehearsal } from './rehearsal/rehearsal.ts';
import { lastContestedRepair } from './repair/contests.ts';
import type { Run, SharedParts } from './run.ts';
import { schedule, type Again } from './schedule.ts';
import { apply, type Applied } from './steps/apply.ts';
import { equip } from './steps/equip.ts';
import { explain, explainError, type RollOutOutcome } from './steps/explain.ts';
import { load, type InPlace } from './steps/load.ts';
import { prove } from './steps/prove.ts';
import { prune } from './steps/prune.ts';
import { stage } from './steps/stage.ts';

/** Throws errors that are to be retried with back-off, after they were written into the status. */
export async function rollOut(shared: SharedParts, facts: ActiveFacts, signal: AbortSignal): Promise<Result> {
  const again = whenToBegin(shared, facts);
  if (again !== 'now') return resultOfSchedule(again);
  const run = await beginRun(shared, facts, signal);
  try {
    return await finish(run);
  } finally {
    run.slot.free();
  }
}

async function finish(run: Run): Promise<Result> {
  const { shared, signal } = run;
  const outcome = await notingOutage(run.memory, attempt(run));
  noteStandstill(run.memory, stoodStill(shared));
  const isError = outcome instanceof ReasonedError;
  const isSuspect = metOutage(outcome, isError ? [] : outcome.applied?.result.failures);
  if (isSuspect && !(await acceptsWrites(shared.client, run.facts.revision, signal))) noteOutage(run.memory);
  return isError ? concludeError(run, outcome) : conclude(run, outcome);
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
  const { client, managed, memories, now, probeWebhooks = true, loads = LOADS } = shared;
  const circumstances = circumstancesOf(cached, managed);
  const memory = memories.of(cached.revision);
  memory.refusal = undefined;
  const facts = { ...cached, revision: await addFinalizer(client, cached.revision) };
  noteStandstill(memory, stoodStill(shared));
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
    slot: loads(),
    rehearsal: new Rehearsal(probing, facts, memory),
    shared,
  };
}

function stoodStill({ stoodStill: read }: SharedParts): number {
  return read?.() ?? 0;
}

/** The outcome of the steps, with its cause. */
async function attempt(run: Run): Promise<RollOutOutcome | ReasonedError> {
  const found = await takeSteps(run);
  if (found instanceof ReasonedError) return explainError(run, found);
  return { ...found, judgement: await explain(run, found) };
}

/** The steps of a roll-out until one ends it. Throws errors after the objects were applied. */
async function takeSteps(run: Run): Promise<RollOutOutcome | ReasonedError> {
  const reached = await orOutcome(run, reachApply(run));
  if (reached instanceof ReasonedError || 'judgement' in reached) return reached;
  const { rejection, unready } = reached;
  const judgement = rejection ?? (await prove(run, reached));
  if (judgement.state !== 'Ready') return { judgement, unready, applied: reached };
  const pruned = await prune(run, reached);
  return { judgement: pruned.judgement, unready, applied: reached, pruned };
}

async function reachApply(run: Run): Promise<Applied | InPlace> {
  const loaded = await load(run);
  if ('judgement' in loaded) return loaded;
  const equipped = await equip(run, loaded);
  const staged = await stage(run, equipped);
  return apply(run, staged);
}

/**
 * An error that ends the steps before the objects are applied is an outcome, too. Throws all other errors, and a
 * Conflict, since a newer state is about to arrive: report-defects.ts reports one that lasts. Its time says nothing of the
 * bundle, so the progress deadline does not count it.
 */
async function orOutcome<Reached>(
  { memory }: Pick<Run, 'memory'>,
  steps: Promise<Reached>,
): Promise<Reached | ReasonedError> {
  try {
    return await steps;
  } catch (error) {
    if (isOutcome(error)) return error;
    memory.attendedSince = undefined;
    throw error;
  }
}

function isOutcome(error: unknown): error is ReasonedError {
  return error instanceof ReasonedError && error.reason !== 'Conflict' && error.reason !== 'LeaderLost';
}
