/**
 * The conditions of a Subscription: whether it is as requested, the work in progress, newer versions, deprecations.
 * Pure.
 */
import { findCondition, isReason, type NextCondition } from '../../api/conditions.ts';
import type { ReasonedError } from '../../api/errors.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Conflict, Refusal } from '../../resolver/decision.ts';
import { explainDecision } from '../../resolver/explain.ts';
import { SILENT, type ResolvedPlan } from './decide.ts';
import { currentConditions } from './history.ts';
import { isInRange } from './in-range.ts';
import { conditionOfLosses, remarkOnLosses } from './losses.ts';
import { describeSteps, stepsOf } from './steps.ts';
import { deprecationOf, failureOf, upgradeOf } from './version-conditions.ts';
import {
  describeHold,
  describeLoss,
  describeUpgradeFailure,
  describeWork,
  remarkOnFailure,
  remarkOnHold,
  withHint,
  workOf,
  type Waiting,
} from './wording.ts';

/** All conditions that hold. @param error Why the plan could not be carried out. */
export function conditionsOf(
  subscription: Subscription,
  plan: ResolvedPlan,
  error: ReasonedError | undefined,
): readonly NextCondition[] {
  return [
    readyOf(subscription, plan, error),
    ...progressOf(subscription, plan, error),
    ...failureOf(subscription, plan),
    ...conditionOfLosses(subscription, plan.losses),
    ...contestIn(plan),
    upgradeOf(subscription, plan),
    deprecationOf(plan),
  ];
}

function readyOf(subscription: Subscription, plan: ResolvedPlan, error: ReasonedError | undefined): NextCondition {
  const { active, installed, decision, failed, action } = plan;
  if (error !== undefined && (installed === undefined || active !== installed || !isHealthy(installed))) {
    return { type: 'Ready', status: 'False', reason: error.reason, message: error.describe() };
  }
  if (failed !== undefined && failed === active) return notReady(failed, `${failed.spec.bundle} failed: `);
  if (isRollingBack(plan))
    return {
      type: 'Ready',
      status: 'False',
      reason: 'RollingBack',
      message: describeUpgradeFailure(subscription, plan),
    };
  if (decision.kind === 'none' && !isGoodEnough(subscription, decision, installed)) {
    const { reason, message } = explain(subscription, plan, decision);
    return { type: 'Ready', status: 'False', reason, message };
  }
  if (action.do === 'await' && (installed === undefined || !isInRange(subscription, installed))) {
    return { type: 'Ready', status: 'False', reason: action.hold.reason, message: describeHold(action) };
  }
  const steps = describeSteps(stepsOf(subscription.status?.pending, plan), plan);
  if (active === undefined || (action.do !== 'nothing' && action.do !== 'await')) {
    return { type: 'Ready', status: 'False', reason: workOf(plan), message: `${describeWork(plan)}${steps}` };
  }
  if (!isHealthy(active)) return notReady(active, `${active.spec.bundle}${active === installed ? '' : steps}: `);
  return {
    type: 'Ready',
    status: 'True',
    reason: 'Succeeded',
    message: `${active.spec.bundle} is installed and healthy${remarksOn(subscription, plan)}`,
  };
}

/** Remarks for a Subscription that is as requested: losses, contests, and the state of an upgrade. */
function remarksOn({ spec }: Subscription, plan: ResolvedPlan): string {
  const contests = contestIn(plan).map(({ message }) => `; ${message}`);
  const upgrade = remarkOnHold(plan.action) || remarkOnFailure(plan);
  return [remarkOnLosses(plan.losses), upgrade, ...contests, describeLoss(plan.decision, spec.package)].join('');
}

/** The contest that the active Revision reports. */
function contestIn({ active }: ResolvedPlan): readonly NextCondition[] {
  const contest = findCondition(active?.status?.conditions, 'Contested');
  return contest === undefined
    ? []
    : [{ type: 'Contested', status: 'True', reason: 'Contested', message: contest.message }];
}

/** Why nothing is chosen; if all candidates have failed, which one failed and how to try it again. */
function explain(
  subscription: Subscription,
  plan: ResolvedPlan,
  decision: Refusal,
): { readonly reason: Reason; readonly message: string } {
  const { reason, message, hint } = explainDecision(decision, subscription.spec.package);
  const isOfFailure = reason === 'Quarantined' && plan.failure !== undefined;
  return { reason, message: isOfFailure ? describeUpgradeFailure(subscription, plan) : withHint(message, hint) };
}

/** Whether the version that worked before is being applied again, after an upgrade that failed. */
function isRollingBack(plan: ResolvedPlan): boolean {
  return workOf(plan) === 'RollingBack' && (plan.active === undefined || !isHealthy(plan.active));
}

function notReady(revision: Revision, prefix: string): NextCondition {
  const ready = findCondition(currentConditions(revision), 'Ready');
  const reason =
    ready !== undefined && isReason(ready.reason) && ready.status !== 'True' ? ready.reason : 'Progressing';
  return {
    type: 'Ready',
    status: 'False',
    reason,
    message: `${prefix}${ready === undefined || ready.reason === 'Archived' ? 'it is about to be applied' : ready.message}`,
  };
}

/** Causes that rule out an upgrade, but say nothing against the installed version. */
const LEADS_NOWHERE: ReadonlySet<Conflict['kind']> = new Set(['edges', 'downgrade', 'quarantined']);

/**
 * Whether a working operator is as requested although no upgrade is possible. Ready is true only for a version that the
 * spec allows: a user who requests another one sees Ready become true when it is installed, or why it is not.
 */
function isGoodEnough(
  subscription: Subscription,
  { reason, because }: Refusal,
  installed: Revision | undefined,
): boolean {
  if (installed === undefined || !isInRange(subscription, installed)) return false;
  return SILENT.has(reason) || because.every(({ kind }) => LEADS_NOWHERE.has(kind));
}

function progressOf(
  subscription: Subscription,
  plan: ResolvedPlan,
  error: ReasonedError | undefined,
): readonly NextCondition[] {
  const { active, decision, action, failed } = plan;
  if (error !== undefined) {
    const type = error.retry === 'never' ? 'Stalled' : 'Reconciling';
    return [{ type, status: 'True', reason: error.reason, message: error.describe() }];
  }
  if (failed !== undefined && failed === active && action.do === 'nothing') return [stalledAs(failed)];
  const switching = action.do === 'create' || action.do === 'activate' || action.do === 'restore';
  if (!switching && isRollingBack(plan))
    return [{ type: 'Reconciling', status: 'True', reason: 'RollingBack', message: describeWork(plan) }];
  if (!switching && decision.kind === 'none' && !isGoodEnough(subscription, decision, plan.installed)) {
    const type = decision.reason === 'CatalogUnavailable' ? 'Reconciling' : 'Stalled';
    const { message } = explainDecision(decision, subscription.spec.package);
    return [{ type, status: 'True', reason: decision.reason, message }];
  }
  const says = active === undefined ? [] : currentConditions(active);
  const busy = findCondition(says, 'Reconciling');
  if (!switching && busy === undefined && findCondition(says, 'Ready') !== undefined)
    return action.do === 'await' ? waitingOf(action) : [];
  if (action.do === 'await' && active === undefined) return waitingOf(action);
  return [
    {
      type: 'Reconciling',
      status: 'True',
      reason: switching ? workOf(plan) : (troubleOf(active) ?? workOf(plan)),
      message: switching ? describeWork(plan) : (busy?.message ?? describeWork(plan)),
    },
  ];
}

/** In full: Ready, a column, may be shortened. */
function stalledAs(failed: Revision): NextCondition {
  const short = notReady(failed, '');
  const { message } = findCondition(currentConditions(failed), 'Stalled') ?? short;
  return { ...short, type: 'Stalled', status: 'True', message };
}

/** Waiting for approval or a window is not progress; a missing dependency is; an invalid spec is a stall. */
function waitingOf(action: Waiting): readonly NextCondition[] {
  const { reason } = action.hold;
  if (reason === 'ApprovalRequired' || reason === 'OutsideWindow') return [];
  const type = reason === 'DependencyNotReady' ? 'Reconciling' : 'Stalled';
  return [{ type, status: 'True', reason, message: describeHold(action) }];
}

/** The reason why the active Revision is not finished, if it is more specific than progress. */
function troubleOf(active: Revision | undefined): Reason | undefined {
  const ready = active && findCondition(currentConditions(active), 'Ready');
  if (ready === undefined || ready.status === 'True' || !isReason(ready.reason)) return undefined;
  return ready.reason === 'Archived' ? undefined : ready.reason;
}

function isHealthy(revision: Revision): boolean {
  return findCondition(currentConditions(revision), 'Ready')?.status === 'True';
}
