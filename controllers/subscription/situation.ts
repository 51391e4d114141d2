/**
 * The situation of a Subscription, in two tags: the state of its operator, and the state of newer versions. The order of
 * the cases stands here and nowhere else: conditions are tables over the tags. Pure.
 */
import { findCondition } from '../../api/conditions.ts';
import type { ReasonedError } from '../../api/errors.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Choice, Refusal } from '../../resolver/decision.ts';
import type { ResolvedPlan } from './decide.ts';
import { isGoodEnough } from './good-enough.ts';
import { currentConditions } from './history.ts';
import { isInRange } from './in-range.ts';
import type { UpgradeFailure } from './upgrade-failure.ts';
import { workOf, type Waiting } from './wording.ts';
import { isPublishedAgain } from './same-bundle.ts';

/** Each state of the operator, with the facts that its conditions need. */
export interface OperatorStates {
  /** The plan could not be carried out. */
  readonly error: { readonly error: ReasonedError };
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

/** The situation if the plan can be carried out. */
export function situationOf(subscription: Subscription, plan: ResolvedPlan): Situation {
  return { operator: operatorOf(subscription, plan), newer: newerOf(plan) };
}

function operatorOf(subscription: Subscription, plan: ResolvedPlan): Tagged<OperatorStates> {
  const { active, installed, decision, failed, action } = plan;
  if (failed !== undefined && failed === active) return { kind: afterFailure(plan), active };
  if (isRollingBack(plan)) return { kind: 'rollingBack' };
  if (decision.kind === 'none' && !isGoodEnough(subscription, decision, installed))
    return { kind: 'refused', decision };
  if (action.do === 'await' && (installed === undefined || !isInRange(subscription, installed)))
    return { kind: 'held', waiting: action };
  if (active === undefined || isSwitching(plan)) return { kind: 'switching' };
  return { kind: isHealthy(active) ? 'healthy' : 'unhealthy', active };
}

function afterFailure(plan: ResolvedPlan): 'failed' | 'failedHeld' | 'failedReplaced' {
  if (isSwitching(plan)) return 'failedReplaced';
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

/** Whether an installed operator works as requested, and stays: an error of the manager takes nothing from it. */
export function isServing({ active, installed, isLacking }: ResolvedPlan): boolean {
  return installed !== undefined && active === installed && isHealthy(installed) && isLacking !== true;
}

function isSwitching({ action }: ResolvedPlan): boolean {
  return action.do !== 'nothing' && action.do !== 'await';
}

function isRollingBack(plan: ResolvedPlan): boolean {
  return workOf(plan) === 'RollingBack' && (plan.active === undefined || !isHealthy(plan.active));
}

function isHealthy(revision: Revision): boolean {
  return findCondition(currentConditions(revision), 'Ready')?.status === 'True';
}
