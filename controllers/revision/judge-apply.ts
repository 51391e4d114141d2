/** The judgement of an apply, of the health of objects that were applied before, and of pruning. Pure. */
import type { ApplyOutcome, ApplyResult, PhaseResult, Unready } from '../../apply/apply.ts';
import { hasHealth } from '../../apply/health.ts';
import type { Failure } from '../../apply/api-failure.ts';
import type { Removal } from '../../apply/remove.ts';
import type { Retry } from '../../api/errors.ts';
import { describeRef } from '../../api/object.ts';
import type { Judgement } from './judgement.ts';

/** The outcome of an apply, in a sentence. A failure that a retry may cure is work in progress. */
export function judgeApply(result: ApplyResult): Judgement {
  if (result.failures.length > 0) return judgeFailures(result.failures, appliedBeside(result.phases));
  const count = result.phases.reduce((sum, { objects }) => sum + objects.length, 0);
  if (result.state === 'Complete')
    return { state: 'Ready', reason: 'Succeeded', message: `${count} objects are applied and healthy` };
  const message = describeWaiting(result.phases);
  const final = result.phases.flatMap(({ unready }) => unready).find(({ health }) => health.reason !== undefined);
  if (final?.health.reason === undefined) return { state: 'Working', reason: 'Progressing', message };
  const { reason, message: why } = final.health;
  return { state: 'Failed', reason, message: `${describeRef(final.ref)}: ${why}` };
}

/** The most failures that are named one by one. */
const MOST_NAMED = 5;

/**
 * How many objects are applied beside those that were rejected; undefined if some wait for these. A repair goes on beside an
 * object that can no longer be made.
 */
function appliedBeside(phases: readonly PhaseResult[]): number | undefined {
  const others = phases.flatMap(({ objects }) => objects).filter(({ failure }) => failure === undefined);
  return others.some(({ outcome }) => outcome === 'waiting') ? undefined : others.length;
}

/** Final failures come before those that a retry may cure; of several failures of one reason, each is named. */
function judgeFailures(failures: readonly Failure[], applied: number | undefined): Judgement {
  const final = failures.filter(({ retry }) => retry === 'never');
  const [first] = [...final, ...failures] as [Failure];
  const alike = failures.filter(({ reason }) => reason === first.reason).slice(0, MOST_NAMED);
  const others = failures.length - alike.length;
  const hints = new Set(alike.flatMap(({ hint }) => hint ?? []));
  const beside =
    applied === undefined || applied === 0 ? [] : [`The other objects (${applied}) are kept as they should be`];
  const message = [alike.map((failure) => failure.message).join('; '), ...hints, ...beside].join('. ');
  return {
    state: final.length > 0 ? 'Failed' : 'Working',
    reason: first.reason,
    message: others > 0 ? `${message} (and ${others} more)` : message,
    ...(failures.every(({ untimed }) => untimed) && { untimed: true }),
    ...(first.reason === 'Forbidden' && message.length > LONGEST_SHOWN && { brief: `${message.slice(0, SHOWN)}…` }),
  };
}

/** A bundle may lack many rights, and the API server lists all of them in one sentence. */
const LONGEST_SHOWN = 300;
const SHOWN = 200;

/** The soonest retry that a failure of the apply requires. */
export function retryOf(failures: readonly Failure[]): Retry | undefined {
  const retries = failures.map(({ retry }) => retry).filter((retry) => retry !== 'never');
  return retries.find((retry) => typeof retry === 'object') ?? retries[0];
}

/**
 * The outcome of an apply that found a Revision as it was when it was healthy. If only a workload does not work, although
 * nothing was written, the Revision is unhealthy: it is not being rolled out.
 */
export function judgeLostHealth(result: ApplyResult): Judgement {
  const judgement = judgeApply(result);
  const hasWritten = result.phases.some(({ objects }) => objects.some(({ outcome }) => WRITES.has(outcome)));
  const isUnhealthy = result.phases.some(({ unready }) => unready.some(isKnownUnready));
  if (judgement.state !== 'Working' || result.failures.length > 0 || hasWritten || !isUnhealthy) return judgement;
  return { ...judgement, reason: 'WorkloadUnhealthy' };
}

const WRITES: ReadonlySet<string> = new Set<ApplyOutcome>(['created', 'configured']);

/** Whether the status of the object shows it: a right that the API server does not know yet has none, for example. */
function isKnownUnready({ ref, health }: Unready): boolean {
  return hasHealth(ref) && health.state !== 'Unknown';
}

/** Judges the health of a Revision that was fully applied before. */
export function judgeHealth(unready: readonly Unready[], objects: number): Judgement {
  const [first] = unready;
  if (first === undefined)
    return { state: 'Ready', reason: 'Succeeded', message: `${objects} objects are applied and healthy` };
  return {
    state: 'Working',
    reason: 'WorkloadUnhealthy',
    message: `${describeRef(first.ref)}: ${first.health.message}`,
  };
}

/** How long a deletion may be refused, or held by a finalizer, before that is trouble. */
const PATIENCE_SECONDS = 60;

export interface JudgedPruning {
  readonly judgement: Judgement;
  /** Why a leftover could not be deleted: pruning is tried again. */
  readonly unpruned?: Failure;
}

/**
 * After pruning for so many seconds: the Revision stays Ready, but is not finished before every leftover is gone. An object
 * that a finalizer holds is named, and a watch reports its end; a failed deletion is tried again.
 */
export function judgePruning(judgement: Judgement, removals: readonly Removal[], seconds: number): JudgedPruning {
  const [unpruned] = removals.flatMap(({ failure }) => failure ?? []);
  const held = removals.find(({ outcome }) => outcome === 'deleting');
  const message =
    (unpruned && [unpruned.message, unpruned.hint].filter((part) => part !== undefined).join('. ')) ??
    (held && `${describeRef(held.ref)}: ${held.message ?? 'it is being deleted'}`);
  if (message === undefined) return { judgement };
  const unfinished = `A leftover of an earlier Revision is not pruned yet: ${message}`;
  const unfinishedReason = seconds < PATIENCE_SECONDS ? 'Progressing' : (unpruned?.reason ?? 'DeleteBlocked');
  return { judgement: { ...judgement, unfinished, unfinishedReason }, ...(unpruned !== undefined && { unpruned }) };
}

function describeWaiting(phases: readonly PhaseResult[]): string {
  const unready = phases.flatMap((phase) => phase.unready)[0];
  if (unready !== undefined) return `${describeRef(unready.ref)}: ${unready.health.message}`;
  const waiting = phases.find(({ state }) => state !== 'Done');
  const message = waiting?.objects.find((object) => object.message !== undefined)?.message;
  return message ?? `Phase ${waiting?.name ?? 'unknown'} is under way`;
}
