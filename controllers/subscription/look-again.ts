/** When a Subscription is reconciled again although no watch reports a change. Pure. */
import type { ReasonedError } from '../../api/errors.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Result } from '../../kube/controller/controller.ts';
import type { Refusal } from '../../resolver/decision.ts';
import { heldBeside } from './action.ts';
import type { ResolvedPlan } from './decide.ts';
import type { Hold } from './held.ts';
import { isHeldBack } from './wake.ts';

/** Some changes are not watched: another operator's kinds, the end of a window. */
const LOOK_AGAIN_SECONDS = 60;
/** An upgrade that the cluster holds back is less urgent, since the installed version goes on working. */
const LOOK_LATER_SECONDS = 300;
const SOON_SECONDS = 0.01;
/** The longest delay between two retries of an error. */
const LONGEST_BACKOFF_SECONDS = 1000;

/** The pause until the next reconcile; undefined if watches report all that it waits for. */
export function lookAgain(plan: ResolvedPlan, now: Date): Result {
  return soonest(pauseOf(plan, now), untilFailed(plan, now));
}

/** The shorter one of two pauses. */
export function soonest(some: Result, other: Result): Result {
  const seconds = [some, other].flatMap((one) => one?.requeueAfterSeconds ?? []);
  return seconds.length === 0 ? undefined : { requeueAfterSeconds: Math.min(...seconds) };
}

/**
 * The error of a plan that could not be carried out, retried no later than the next reconcile of the plan is due: a window
 * opens, for example, although the installed version cannot have the configuration that the spec requests. The content of a tag is
 * read again, too.
 */
export function retriedInTime(error: ReasonedError, plan: ResolvedPlan, now: Date): ReasonedError {
  const { retry } = error;
  const held = heldBeside(plan.action);
  const changes = soonest(held && pauseOfHold(held.hold, now), untilFailed(plan, now));
  const pause = soonest(changes, retry === 'never' ? untilTagMoves(plan) : undefined)?.requeueAfterSeconds;
  const longest = retry === 'never' ? Infinity : retry === 'backoff' ? LONGEST_BACKOFF_SECONDS : retry.afterSeconds;
  return pause === undefined || pause >= longest ? error : error.withRetry({ afterSeconds: pause });
}

function pauseOf({ action, decision }: ResolvedPlan, now: Date): Result {
  if (decision.kind === 'none' && decision.reason === 'ResolutionFailed')
    return { requeueAfterSeconds: isGivenUp(decision) ? LOOK_LATER_SECONDS : LOOK_AGAIN_SECONDS };
  // The hold is handled and reported as soon as the Revision exists.
  if (action.do === 'create' && action.hold !== undefined) return { requeueAfterSeconds: SOON_SECONDS };
  if (action.do !== 'await') return isHeldBack(decision) ? { requeueAfterSeconds: LOOK_LATER_SECONDS } : undefined;
  return pauseOfHold(action.hold, now);
}

/** A bundle that cannot be used stays as it is, but the publisher may move the tag by which a catalog names it. */
function untilTagMoves({ action }: ResolvedPlan): Result {
  const isByTag = action.do === 'create' && !action.target.bundle.image.includes('@');
  return isByTag ? { requeueAfterSeconds: LOOK_LATER_SECONDS } : undefined;
}

function untilFailed({ failsAt }: ResolvedPlan, now: Date): Result {
  return failsAt && { requeueAfterSeconds: Math.max(SOON_SECONDS, (failsAt.getTime() - now.getTime()) / 1000) };
}

function pauseOfHold({ reason, until }: Hold, now: Date): Result {
  if (until !== undefined) return { requeueAfterSeconds: Math.max(1, (until.getTime() - now.getTime()) / 1000) };
  return NOT_WATCHED.has(reason) ? { requeueAfterSeconds: LOOK_AGAIN_SECONDS } : undefined;
}

/** With an account no watch reports the OperatorCondition. */
const NOT_WATCHED: ReadonlySet<string> = new Set<Reason>(['DependencyNotReady', 'OperatorNotUpgradeable']);

/** A search that hit its effort limit will hit it again. */
function isGivenUp({ because }: Refusal): boolean {
  return because.some(({ kind }) => kind === 'effort');
}
