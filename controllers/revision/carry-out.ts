/**
 * Brings an active Revision into the cluster, as far as possible now, and writes the outcome: roll out, judge, prune
 * leftovers, explain objects that do not work.
 */
import { parseDuration } from '../../api/duration.ts';
import { ReasonedError } from '../../api/errors.ts';
import { describeRef, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { PROGRESS_DEADLINE_BOUNDS, type Subscription } from '../../api/subscription.ts';
import { isIntact, refOfEntry } from '../../apply/inventory.ts';
import { readByList } from '../../apply/read-by-list.ts';
import type { Removal } from '../../apply/remove.ts';
import type { ReconcileContext, Result } from '../../kube/controller/controller.ts';
import { addFinalizer } from '../finalizer.ts';
import { writeStatus } from '../status.ts';
import { findMissingAccount } from './account.ts';
import { actors, checkOf, listPageOf, type Actor } from './actors.ts';
import { bakeSecondsLeft, next, restAfter, type Failing } from './again.ts';
import { isSettled } from './decide.ts';
import type { Deps } from './deps.ts';
import { explainCollisions } from './explain-collision.ts';
import { ownerOf } from './desired-objects.ts';
import { explainUnready, secondsToStart } from './explain-unready.ts';
import { createGate } from './gate.ts';
import { findUnlisted, MADE_LATE, removeLate } from './late-objects.ts';
import type { RevisionFacts } from './observe.ts';
import { CONTEST, type Contest } from './repair/contests.ts';
import { describeContest } from './repair/describe.ts';
import { reportRepairs } from './repair/report.ts';
import { judgeRetry } from './retry.ts';
import { pruneLeftovers, rollOut, type RollOut } from './roll-out.ts';
import {
  judgeApply,
  judgeDeadline,
  judgeHealth,
  judgePruning,
  phasesOf,
  secondsOfWork,
  summarizeRevision,
  type Judgement,
  type RevisionFindings,
} from './summarize.ts';

/** One attempt. Throws errors that are to be retried with back-off, after they were written into the status. */
export async function carryOut(deps: Deps, facts: RevisionFacts, { signal }: ReconcileContext): Promise<Result> {
  const rest = deps.givenUp.restOf(facts, deps.now());
  if (rest !== undefined) return rest;
  const pauseSeconds = deps.contests.pauseSeconds(facts.revision, astrayOf(deps, facts), deps.now());
  if (pauseSeconds > 0) return { requeueAfterSeconds: pauseSeconds };
  const noteRefusal = deps.givenUp.begin(facts);
  const revision = await addFinalizer(deps.client, facts.revision);
  const subscription = facts.subscription as Subscription;
  const acting = actors(deps, facts);
  const actor: Actor = {
    ...deps,
    ...acting,
    listPage: listPageOf(deps),
    gateOf: (stage) =>
      createGate({ ...deps, ...acting, subject: { ...facts, revision }, stage, check: checkOf(deps, signal) }),
  };
  const outcome = await attempt(() => rollOut(actor, { ...facts, revision }, signal));
  const { onFailure } = subscription.spec;
  const deadlineSeconds = parseDuration(onFailure.progressDeadline, PROGRESS_DEADLINE_BOUNDS);
  const failing = { onFailure, deadlineSeconds, noteRefusal };
  if (outcome instanceof ReasonedError) {
    const missing = await findMissingAccount(deps.client, facts, { reason: outcome.reason, signal });
    return giveUp(deps, revision, { error: missing ?? outcome, ...failing });
  }
  const repairs = outcome.kind === 'applied' ? outcome.repairs : [];
  const repaired = reportRepairs(deps, facts, repairs);
  const findings = await finish(actor, { ...facts, revision: outcome.revision }, { outcome, signal });
  const observed = (ref: ObjectRef): KubeObject | undefined => deps.managed.get(ref);
  const startSeconds = secondsToStart(outcome, { observed, deadlineSeconds, now: deps.now() });
  const workedSeconds = secondsOfWork(revision, deps.now()) ?? 0;
  const explaining = { outcome, workedSeconds, deadlineSeconds, read: actor.read, signal };
  const explained =
    startSeconds > 0 ? findings.judgement : await explainUnready(actor.acting, findings.judgement, explaining);
  const missing = await findMissingAccount(deps.client, facts, { reason: explained.reason, signal });
  const blamed = missing === undefined ? explained : blame(explained, missing);
  const patient = judgeRetry(blamed, onFailure);
  const judgement = judgeDeadline(patient, revision, { deadlineSeconds, now: deps.now() });
  const { contests, overInSeconds } = deps.contests.under(revision, deps.now());
  const told = { ...findings, ...repaired, judgement, contested: contests.map(describeOne) };
  const status = summarizeRevision(outcome.revision, told, deps.now());
  const paceSeconds = deps.pace.secondsLeft(outcome.revision, status, deps.now());
  const pauses = [startSeconds, paceSeconds, overInSeconds];
  const then = { subscription, outcome, unpruned: findings.unpruned, pauses };
  const { askAgainSeconds } = judgement;
  const asked = askAgainSeconds === undefined ? undefined : { requeueAfterSeconds: askAgainSeconds };
  if (paceSeconds > 0) return asked ?? next(deps, { written: outcome.revision, ...then });
  const written = await writeStatus(deps.client, outcome.revision, status);
  deps.pace.wrote(written, deps.now());
  if (explained.state === 'Failed') return restAfter(deps, written, failing);
  if (isSettled(written)) {
    forget(deps, written);
    await removeUnlisted(actor, { ...facts, revision: written }, signal);
  }
  return asked ?? next(deps, { written, ...then });
}

/** The same judgement with another cause, in full and in short. */
function blame({ brief: _brief, ...judgement }: Judgement, error: ReasonedError): Judgement {
  return { ...judgement, reason: error.reason, message: error.describe() };
}

/** What is not as it was applied, as far as the watches know. */
function astrayOf({ managed }: Deps, { revision }: RevisionFacts): readonly ObjectRef[] {
  const inventory = revision.status?.inventory ?? [];
  return inventory.filter((entry) => !isIntact(entry, managed.get(refOfEntry(entry)))).map(refOfEntry);
}

function describeOne({ repair, times }: Contest): string {
  return describeContest(repair, times, CONTEST.minutes);
}

/** Drops the memory of a roll-out that is finished. */
function forget({ desired, rehearsals }: Deps, revision: Revision): void {
  desired.forget(revision);
  rehearsals.forget(revision);
}

/**
 * Removes objects that a former leader made too late. Throws the reason if one cannot be removed, so that it is
 * retried.
 */
async function removeUnlisted(deps: Actor, facts: RevisionFacts, signal: AbortSignal): Promise<void> {
  const found = findUnlisted(facts, deps.managed);
  if (found.length === 0) return;
  const options = { owner: ownerOf(facts.revision), acting: deps.acting, signal };
  const removals = await removeLate(readByList(deps.client), found, options);
  for (const { ref, outcome } of removals) {
    if (outcome !== 'deleted') continue;
    const note = `${describeRef(ref)} is removed: ${MADE_LATE}`;
    deps.record(facts.subscription ?? facts.revision, { type: 'Warning', reason: 'LateWrite', action: 'Prune', note });
  }
  const failure = removals.find((removal) => removal.failure !== undefined)?.failure;
  if (failure !== undefined) throw new ReasonedError(failure);
}

/** An error with a reason is an outcome; a Conflict is not, since a newer state is about to arrive. */
async function attempt<T>(task: () => Promise<T>): Promise<T | ReasonedError> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof ReasonedError && error.reason !== 'Conflict' && error.reason !== 'LeaderLost') return error;
    throw error;
  }
}

async function giveUp(
  deps: Deps,
  revision: Revision,
  { error, ...failing }: Failing & { readonly error: ReasonedError },
): Promise<Result> {
  const { reason, retry } = error;
  const isFinal = retry === 'never';
  const judgement: Judgement = { state: isFinal ? 'Failed' : 'Working', reason, message: error.describe() };
  const patient = judgeRetry(judgement, failing.onFailure);
  const { deadlineSeconds } = failing;
  const judged = isFinal ? judgeDeadline(patient, revision, { deadlineSeconds, now: deps.now() }) : patient;
  const contested = deps.contests.under(revision, deps.now()).contests.map(describeOne);
  const status = summarizeRevision(revision, { judgement: judged, contested }, deps.now());
  const written = await writeStatus(deps.client, revision, status);
  if (isFinal && judged.state === 'Working') return restAfter(deps, written, failing);
  if (isFinal) failing.noteRefusal();
  throw error;
}

/** Judges a roll-out, and prunes once the bake time is over. */
async function finish(
  deps: Actor,
  facts: RevisionFacts,
  { outcome, signal }: { readonly outcome: RollOut; readonly signal: AbortSignal },
): Promise<RevisionFindings> {
  if (outcome.kind === 'intact') {
    const judgement = judgeHealth(outcome.unready, facts.revision.status?.inventory?.length ?? 0);
    return { judgement: await confirm(deps, facts, { judgement, signal }) };
  }
  const { result, leftovers } = outcome;
  const inPlace = { ...facts.revision.status, inventory: result.inventory };
  const applied = { ...facts, revision: { ...facts.revision, status: inPlace } };
  const judgement = await judgeOutcome(deps, applied, { outcome, signal });
  const found = { judgement, inventory: result.inventory, phases: phasesOf(result) };
  if (judgement.state !== 'Ready' || leftovers.length === 0) return found;
  const left = bakeSecondsLeft(deps, facts);
  if (left > 0)
    return {
      ...found,
      judgement: { ...judgement, unfinished: 'What only earlier revisions had is removed after the bake time' },
    };
  const { remaining, removals } = await pruneLeftovers(deps, facts, { leftovers, signal });
  const inventory = result.inventory.filter((entry) => !leftovers.includes(entry) || remaining.includes(entry));
  reportKept(deps, facts, removals);
  return { ...found, ...judgePruning(judgement, removals), inventory };
}

/**
 * Records an event for each leftover that stays: a CRD that has custom resources, or an object that another owner has
 * by now.
 */
function reportKept({ record }: Deps, { revision, subscription }: RevisionFacts, removals: readonly Removal[]): void {
  for (const { ref, outcome, message = '' } of removals) {
    if (outcome !== 'kept' && outcome !== 'foreign') continue;
    const note = `${describeRef(ref)} is not pruned: ${message}`;
    const reason = outcome === 'kept' ? 'CustomResourcesExist' : 'Collision';
    record(subscription ?? revision, { type: 'Warning', reason, action: 'Prune', note });
  }
}

/** Checks whether the applied objects answer, unless the roll-out has checked it already. */
async function judgeOutcome(
  deps: Actor,
  applied: RevisionFacts,
  { outcome, signal }: { readonly outcome: Extract<RollOut, { kind: 'applied' }>; readonly signal: AbortSignal },
): Promise<Judgement> {
  const { answer, result } = outcome;
  const failures = explainCollisions(result.failures, applied, deps.caches);
  const judgement = judgeApply({ ...result, failures });
  if (answer === undefined) return confirm(deps, applied, { judgement, signal });
  return answer.state === 'Ready' || result.failures.length > 0 ? judgement : answer;
}

/** Checks whether the conversion webhooks of the CRDs answer. */
function confirm(
  deps: Actor,
  { revision }: RevisionFacts,
  { judgement, signal }: { readonly judgement: Judgement; readonly signal: AbortSignal },
): Promise<Judgement> {
  const { conversions, managed } = deps;
  const crds = (revision.status?.inventory ?? []).flatMap((entry) =>
    entry.kind === 'CustomResourceDefinition' ? (managed.get(refOfEntry(entry)) ?? []) : [],
  );
  return conversions.confirm(revision, judgement, { ...checkOf(deps, signal), crds });
}
