/**
 * The situation of a Subscription, in two tags: the state of its operator, and the state of newer versions. The order of
 * the cases stands here and nowhere else: conditions are tables over the tags. Pure.
 */
import { ReasonedError } from '../../api/errors.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Choice, Refusal } from '../../resolver/decision.ts';
import { parseWindows } from '../../resolver/gate/windows.ts';
import type { ResolvedPlan } from './decide.ts';
import { isGoodEnough } from './good-enough.ts';
import { hindranceOf, type Hindrance } from './hindrance.ts';
import { isReadyNow, isStalledNow } from './history.ts';
import { isAsRequested, isInRange } from './in-range.ts';
import type { UpgradeFailure } from './upgrade-failure.ts';
import { workOf, type Waiting } from './wording.ts';
import { isPublishedAgain } from '../../api/same-bundle.ts';

/** Each state of the operator, with the facts that its conditions need. */
export interface OperatorStates {
  /** The plan could not be carried out, or the spec has a field that cannot be read. */
  readonly error: { readonly error: ReasonedError };
  /** The plan could not be carried out, and the installed version works as the spec requests: `bundle` cannot follow it. */
  readonly hindered: {
    readonly active: Revision;
    readonly error: ReasonedError;
    readonly bundle: string | undefined;
  };
  /** The active Revision failed, and stays as it is. */
  readonly failed: { readonly active: Revision };
  /** The active Revision failed; the next one waits for a person, a window or a dependency. */
  readonly failedHeld: { readonly active: Revision };
  /** The active Revision failed; another one is being made active in its place. */
  readonly failedReplaced: { readonly active: Revision };
  /** The version that worked before is being applied again, after an upgrade that failed. */
  readonly rollingBack: object;
  /** No bundle is chosen, and the installed version is not as requested. */
  readonly refused: { readonly decision: Refusal };
  /** The chosen Revision waits, and no version that the spec allows is installed. */
  readonly held: { readonly waiting: Waiting };
  /** A Revision is being made, or made active. */
  readonly switching: object;
  /** The active Revision is not healthy, or not yet. */
  readonly unhealthy: { readonly active: Revision };
  /** The active Revision is healthy. */
  readonly healthy: { readonly active: Revision };
}

/** Each state of newer versions, with the facts that its condition needs. */
export interface NewerStates {
  /** A newer version waits for a person, a window or a dependency. */
  readonly held: { readonly waiting: Waiting };
  /** No catalog answers, or no bundle is as requested. */
  readonly unknown: { readonly decision: Refusal };
  /** A newer version can be installed. */
  readonly available: { readonly choice: Choice; readonly installed: Revision };
  /** The newer version cannot be prepared or made active. */
  readonly hindered: Hindrance;
  /** The newer version failed. */
  readonly quarantined: { readonly failure: UpgradeFailure };
  /** The newest version that the spec allows is chosen. */
  readonly upToDate: { readonly choice: Choice };
}

/** One case of a table of states, with its tag. */
export type Tagged<States, K extends keyof States = keyof States> = {
  readonly [Kind in K]: { readonly kind: Kind } & States[Kind];
}[K];

export interface Situation {
  readonly operator: Tagged<OperatorStates>;
  readonly newer: Tagged<NewerStates>;
}

/** One row for each state. @see rowOf */
export type Rows<States, Context, Result> = {
  readonly [Kind in keyof States]: (state: Tagged<States, Kind>, context: Context) => Result;
};

/** The row of a table for a state. */
export function rowOf<States, K extends keyof States, Context, Result>(
  rows: Rows<States, Context, Result>,
  state: Tagged<States, K>,
  context: Context,
): Result {
  return rows[state.kind](state, context);
}

export interface PlanOutcome {
  /** Why the plan could not be carried out; absent if it was, or if that is not known yet. */
  readonly error?: ReasonedError | undefined;
  readonly now: Date;
}

export function situationOf(subscription: Subscription, plan: ResolvedPlan, { error, now }: PlanOutcome): Situation {
  const operator = operatorOf(subscription, plan);
  const hindrance = hindranceOf(plan, error);
  const newer = hindrance === undefined ? newerOf(plan) : ({ kind: 'hindered', ...hindrance } as const);
  const invalid = isAtRest(operator, error) ? faultOfWindows(subscription, now) : undefined;
  if (invalid !== undefined) return { operator: { kind: 'error', error: invalid }, newer };
  if (error === undefined) return { operator, newer };
  return { operator: afterError(subscription, plan, { operator, error, hindrance }), newer };
}

/** Whether no roll-out is under way that another sentence is about. */
function isAtRest({ kind }: Tagged<OperatorStates>, error: ReasonedError | undefined): boolean {
  return kind === 'healthy' || kind === 'held' || (kind === 'switching' && error !== undefined);
}

/** Why the windows of the spec cannot be read: reported at once, and not only when an upgrade is due. */
function faultOfWindows({ spec: { windows = [] } }: Subscription, now: Date): ReasonedError | undefined {
  try {
    parseWindows(windows, now);
    return undefined;
  } catch (error) {
    if (error instanceof ReasonedError) return error;
    throw error;
  }
}

interface ErrorOfPlan {
  readonly operator: Tagged<OperatorStates>;
  readonly error: ReasonedError;
  readonly hindrance: Hindrance | undefined;
}

/**
 * An error takes nothing from a version that works: if nothing is to be made active, Ready is as without the error, since the
 * status before each attempt says so; while another version is made, the one that works has to be as requested.
 */
function afterError(
  subscription: Subscription,
  plan: ResolvedPlan,
  { operator, error, hindrance }: ErrorOfPlan,
): Tagged<OperatorStates> {
  const { installed } = plan;
  if (installed === undefined || !isServing(plan)) return { kind: 'error', error };
  const isKept =
    operator.kind === 'switching' && hindrance !== undefined
      ? isAsRequested(subscription, installed)
      : operator.kind === 'healthy';
  return isKept ? { kind: 'hindered', active: installed, error, bundle: hindrance?.bundle } : { kind: 'error', error };
}

function operatorOf(subscription: Subscription, plan: ResolvedPlan): Tagged<OperatorStates> {
  const { active, installed, decision, failed, action } = plan;
  if (failed !== undefined && failed === active && !isReadyNow(failed)) return { kind: afterFailure(plan), active };
  if (isRollingBack(plan)) return { kind: 'rollingBack' };
  if (decision.kind === 'none' && !isGoodEnough(subscription, decision, installed))
    return { kind: 'refused', decision };
  if (action.do === 'await' && (installed === undefined || !isInRange(subscription, installed)))
    return { kind: 'held', waiting: action };
  if (active === undefined || hasWork(plan)) return { kind: 'switching' };
  return { kind: isReadyNow(active) ? 'healthy' : 'unhealthy', active };
}

function afterFailure(plan: ResolvedPlan): 'failed' | 'failedHeld' | 'failedReplaced' {
  if (hasWork(plan)) return 'failedReplaced';
  return plan.action.do === 'await' ? 'failedHeld' : 'failed';
}

function newerOf({ decision, action, installed, failure }: ResolvedPlan): Tagged<NewerStates> {
  if (action.do === 'await') return { kind: 'held', waiting: action };
  if (decision.kind === 'none') return { kind: 'unknown', decision };
  const isAgain = failure === undefined && isPublishedAgain(decision.next, installed?.spec);
  if (installed !== undefined && (decision.kind === 'upgrade' || isAgain))
    return { kind: 'available', choice: decision, installed };
  return failure === undefined ? { kind: 'upToDate', choice: decision } : { kind: 'quarantined', failure };
}

/** Whether an installed operator works now, and is the active one. */
export function isServing({ active, installed, isLacking }: ResolvedPlan): boolean {
  return installed !== undefined && active === installed && isReadyNow(installed) && isLacking !== true;
}

function hasWork({ action }: ResolvedPlan): boolean {
  return action.do !== 'nothing' && action.do !== 'await';
}

/** Until the version before works; one that is applied and does not work speaks for itself. */
function isRollingBack(plan: ResolvedPlan): boolean {
  const { active, installed, failed } = plan;
  if (workOf(plan) !== 'RollingBack') return false;
  if (active === undefined || active === failed) return true;
  return !isReadyNow(active) && !(active === installed && isStalledNow(active));
}
