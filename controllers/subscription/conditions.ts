/**
 * The conditions of a Subscription: whether it is as requested, the work in progress, newer versions, deprecations.
 * Ready, Reconciling and Stalled are tables over the state of the operator (situation.ts). Pure.
 */
import { findCondition, isReason, type Condition, type NextCondition } from '../../api/conditions.ts';
import { AT_WORK, WAITS_FOR_APPROVAL, WAITS_FOR_A_TIME, type Reason } from '../../api/reasons.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Refusal } from '../../resolver/decision.ts';
import { explainDecision } from '../../resolver/explain.ts';
import type { ResolvedPlan } from './decide.ts';
import { remarkOnError } from './hindrance.ts';
import { currentConditions, isStalledNow } from './history.ts';
import { isOfInstalled } from './installed-version.ts';
import { conditionOfLosses, remarkOnLosses } from './losses.ts';
import { rowOf, situationOf, type OperatorStates, type PlanOutcome, type Rows } from './situation.ts';
import { describeSteps, stepsOf } from './steps.ts';
import { deprecationOf, failureOf, upgradeOf } from './version-conditions.ts';
import {
  describeHold,
  describeLoss,
  describeUpgradeFailure,
  describeWork,
  remarkOnFailure,
  remarkOnHold,
  shorten,
  type Waiting,
  withHint,
  workOf,
} from './wording.ts';

interface RowContext {
  readonly subscription: Subscription;
  readonly plan: ResolvedPlan;
}

/** All conditions that hold. */
export function conditionsOf(
  subscription: Subscription,
  plan: ResolvedPlan,
  outcome: PlanOutcome,
): readonly NextCondition[] {
  const context = { subscription, plan };
  const { operator, newer } = situationOf(subscription, plan, outcome);
  return [
    { type: 'Ready', ...rowOf(READY, operator, context) },
    ...rowOf(PROGRESS, operator, context),
    ...failureOf(subscription, plan, newer),
    ...conditionOfLosses(subscription, plan.losses),
    ...contestIn(plan),
    upgradeOf(subscription, plan, newer),
    deprecationOf(plan),
  ];
}

type ConditionContent = Omit<NextCondition, 'type'>;

/** Ready, for each state of the operator. */
const READY: Rows<OperatorStates, RowContext, ConditionContent> = {
  error: ({ error }) => unready(error.reason, error.describe()),
  hindered: ({ active, error, bundle }, context) =>
    installed(active, `${remarkOnError(error, bundle)}${remarksOn(context)}`),
  failed: ({ active }) => asReported(active, `${active.spec.bundle} failed: `),
  failedHeld: ({ active }) => asReported(active, `${active.spec.bundle} failed: `),
  failedReplaced: ({ active }) => asReported(active, `${active.spec.bundle} failed: `),
  rollingBack: (_, { subscription, plan }) => unready('RollingBack', describeUpgradeFailure(subscription, plan)),
  refused: ({ decision }, context) => explainRefusal(decision, context),
  held: ({ waiting }) => unready(waiting.hold.reason, describeHold(waiting)),
  switching: (_, context) => {
    const reason = workOf(context.plan);
    return unready(reason, `${describeWork(context.plan)}${reason === 'Progressing' ? '' : describePosition(context)}`);
  },
  unhealthy: ({ active }, context) =>
    asReported(active, `${active.spec.bundle}${leadsToAnother(active, context) ? describePosition(context) : ''}: `),
  healthy: ({ active }, context) => installed(active, remarksOn(context)),
};

/** Reconciling or Stalled, for each state of the operator; none if no more work is to be done. */
const PROGRESS: Rows<OperatorStates, RowContext, readonly NextCondition[]> = {
  error: ({ error }) => [
    { type: error.retry === 'never' ? 'Stalled' : 'Reconciling', ...asTrue(error.reason, error.describe()) },
  ],
  // The condition UpgradeFailed reports an upgrade that is not tried again.
  hindered: ({ error, bundle }) =>
    error.retry === 'never' && bundle !== undefined
      ? []
      : [{ type: 'Reconciling', ...asTrue(error.reason, error.describe()) }],
  failed: ({ active }) => [stalledAs(active)],
  failedHeld: (_, { plan }) => progressOfActive(plan),
  failedReplaced: (_, { plan }) => [reconciling(plan)],
  rollingBack: (_, { plan }) => [reconciling(plan)],
  refused: ({ decision }, context) => [progressOfRefusal(decision, context)],
  held: (_, { plan }) => progressOfActive(plan),
  switching: (_, { plan }) => [reconciling(plan)],
  unhealthy: ({ active }, { plan }) =>
    isStalledNow(active) && !isAboutToGoOn(plan) ? [stalledAs(active)] : progressOfActive(plan),
  // The condition UpgradeAvailable names the person's act that the next version waits for.
  healthy: (_, { plan }) => progressOfActive(plan).filter(({ type }) => type !== 'Stalled'),
};

function installed(active: Revision, remarks: string): ConditionContent {
  return asTrue('Succeeded', `${active.spec.bundle} is installed and healthy${remarks}`);
}

function unready(reason: Reason, message: string): ConditionContent {
  return { status: 'False', reason, message };
}

function asTrue(reason: Reason, message: string): ConditionContent {
  return { status: 'True', reason, message };
}

/** Not ready, for the reason that the Revision reports. */
function asReported(revision: Revision, prefix: string): ConditionContent {
  const ready = findCondition(currentConditions(revision), 'Ready');
  const reason =
    ready !== undefined && isReason(ready.reason) && ready.status !== 'True' ? ready.reason : 'Progressing';
  if (ready?.reason === 'Suspended') return unready('Progressing', `${prefix}it is about to be checked`);
  const isNew = ready === undefined || ready.reason === 'Archived';
  return unready(reason, `${prefix}${isNew ? 'it is about to be applied' : ready.message}`);
}

/** Why nothing is chosen; if all candidates have failed, which one failed and how to try it again. */
function explainRefusal(decision: Refusal, { subscription, plan }: RowContext): ConditionContent {
  const { reason, message, hint } = explainDecision(decision, subscription.spec.package);
  const isOfFailure = reason === 'Quarantined' && plan.failure !== undefined;
  return unready(reason, isOfFailure ? describeUpgradeFailure(subscription, plan) : withHint(message, hint));
}

/** Whether a Revision leads to another bundle than the installed one. */
function leadsToAnother(active: Revision, { plan: { installed } }: RowContext): boolean {
  return installed === undefined || !isOfInstalled(active, installed);
}

function describePosition({ subscription, plan }: RowContext): string {
  return describeSteps(stepsOf(subscription.status, plan), plan);
}

/** Remarks for a Subscription that is as requested: losses, contests, and the state of an upgrade. */
function remarksOn({ subscription: { spec }, plan }: RowContext): string {
  const contests = contestIn(plan).map(({ message }) => `; ${message}`);
  const upgrade = remarkOnHold(plan.action) || remarkOnFailure(plan);
  const leftover = remarkOnLeftover(plan.active);
  return [remarkOnLosses(plan.losses), upgrade, ...contests, leftover, describeLoss(plan.decision, spec.package)].join(
    '',
  );
}

/** A leftover that stays although nothing is left to wait for. */
function remarkOnLeftover(active: Revision | undefined): string {
  const reported = active === undefined || unfinishedReason(active) === undefined ? [] : currentConditions(active);
  const message = findCondition(reported, 'Reconciling')?.message;
  return message === undefined ? '' : `; ${shorten(message)}`;
}

/** The contest that the active Revision reports. */
function contestIn({ active }: ResolvedPlan): readonly NextCondition[] {
  const contest = findCondition(active?.status?.conditions, 'Contested');
  return contest === undefined ? [] : [{ type: 'Contested', ...asTrue('Contested', contest.message) }];
}

function reconciling(plan: ResolvedPlan): NextCondition {
  return { type: 'Reconciling', ...asTrue(workOf(plan), describeWork(plan)) };
}

/** In full: Ready, a column, may be shortened. */
function stalledAs(failed: Revision): NextCondition {
  const { reason, message } = asReported(failed, '');
  const stalled = findCondition(currentConditions(failed), 'Stalled');
  return { type: 'Stalled', ...asTrue(reason, stalled?.message ?? message) };
}

/** Whether the next version takes the place of the active one without a person: it waits for a time, its plan or a dependency. */
function isAboutToGoOn({ action }: ResolvedPlan): boolean {
  return action.do === 'await' && COMES_BY_ITSELF.has(action.hold.reason) && action.hold.needsPerson !== true;
}

const COMES_BY_ITSELF: ReadonlySet<Reason> = new Set(['OutsideWindow', 'Planning', 'DependencyNotReady']);

function progressOfRefusal(decision: Refusal, { subscription: { spec }, plan }: RowContext): NextCondition {
  const type = plan.endsByItself === true ? 'Reconciling' : 'Stalled';
  return { type, ...asTrue(decision.reason, explainDecision(decision, spec.package).message) };
}

/** The progress that the active Revision reports; if it is at rest, or there is none, the wait of the next one. */
function progressOfActive(plan: ResolvedPlan): readonly NextCondition[] {
  const { active, action } = plan;
  const reported = active === undefined ? [] : currentConditions(active);
  const busy = findCondition(reported, 'Reconciling');
  const ready = findCondition(reported, 'Ready');
  // One that was not ready when its Subscription was suspended says so until it is checked again.
  const isAtRest =
    busy === undefined && ready !== undefined && (ready.reason !== 'Suspended' || ready.status === 'True');
  if (active === undefined || isAtRest) return action.do === 'await' ? waitingOf(action) : [];
  const { reason, message } = reconciling(plan);
  return [{ type: 'Reconciling', ...asTrue(unfinishedReason(active) ?? reason, busy?.message ?? message) }];
}

/**
 * Waiting for approval, a window or the operator is not progress; a plan or a missing dependency is; an invalid spec is a stall, and
 * so is a dependency that needs a person.
 */
function waitingOf(action: Waiting): readonly NextCondition[] {
  const { reason, needsPerson } = action.hold;
  if (WAITS_FOR_APPROVAL.has(reason) || WAITS_FOR_A_TIME.has(reason)) return [];
  const type = reason === 'InvalidSpec' || needsPerson === true ? 'Stalled' : 'Reconciling';
  return [{ type, ...asTrue(reason, describeHold(action)) }];
}

/** The reason why the active Revision is not finished, if it is more specific than progress. */
function unfinishedReason(active: Revision): Reason | undefined {
  const reported = currentConditions(active);
  const ready = findCondition(reported, 'Ready');
  if (ready?.status === 'True') return unprunedIn(reported);
  if (ready === undefined || !isReason(ready.reason)) return undefined;
  return ready.reason === 'Archived' || ready.reason === 'Suspended' ? undefined : ready.reason;
}

function unprunedIn(reported: readonly Condition[]): Reason | undefined {
  const reason = findCondition(reported, 'Reconciling')?.reason ?? '';
  return isReason(reason) && !AT_WORK.has(reason) ? reason : undefined;
}
