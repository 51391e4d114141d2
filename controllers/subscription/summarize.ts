/** The status of a Subscription: installed and available bundles, work in progress and trouble, in one place. Pure. */
import {
  findCondition,
  formatTime,
  LASTING_CONDITIONS,
  replaceConditions,
  type NextCondition,
} from '../../api/conditions.ts';
import { redact } from '../../api/errors.ts';
import type { Reason } from '../../api/reasons.ts';
import { hasWorked, MAX_REVISION_NUMBER, type Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { STATUS_LIMITS, type SubscriptionStatus } from '../../api/subscription-status.ts';
import type { Cause, Decision } from '../../resolver/decision.ts';
import { describeCause } from '../../resolver/explain.ts';
import { passedOver } from '../../resolver/passed-over.ts';
import { ruledOutBy } from '../../resolver/published-again.ts';
import { requestOf } from '../request-of.ts';
import { availableOf, type AvailableBundle } from './available.ts';
import { conditionsOf } from './conditions.ts';
import type { ResolvedPlan } from './decide.ts';
import { isAsRequested } from './in-range.ts';
import type { SubscriptionFacts } from './observe.ts';
import { describeInstalled } from './question.ts';
import type { PlanOutcome } from './situation.ts';
import { stepsBehind, stepsOf } from './steps.ts';

/** The status after a plan was carried out, or during it. */
export function summarizePlan(
  subscription: Subscription,
  plan: ResolvedPlan,
  outcome: PlanOutcome,
): SubscriptionStatus {
  const { error, now } = outcome;
  const { decision, installed, quarantined, lastNumber } = plan;
  const choice = decision.kind === 'none' ? undefined : decision;
  const available = availableOf(subscription, plan);
  const pending = pendingOf(subscription, plan);
  return {
    ...handled(subscription, error === undefined),
    ...(installed !== undefined && {
      installed: { ...describeInstalled(installed), revision: installed.metadata.name },
    }),
    ...(available !== undefined && { available: nameBundle(available) }),
    ...(pending !== undefined && { pending }),
    ...(lastNumber > 0 && { lastNumber: Math.min(lastNumber, MAX_REVISION_NUMBER) }),
    ...(choice !== undefined &&
      choice.path.length > 0 && {
        path: choice.path.slice(0, STATUS_LIMITS.path).map(({ version }) => cutVersion(version)),
      }),
    ...(quarantined.length > 0 && { quarantined }),
    ...eligibleOf(plan),
    ...refusedOf(decision, installed),
    ...repairsOf(subscription, plan),
    ...adoptionOf(subscription),
    conditions: judge(subscription, conditionsOf(subscription, plan, outcome), now),
  };
}

/** Kept as it is: another part writes it. */
function adoptionOf({ spec, status }: Subscription): Pick<SubscriptionStatus, 'adoption'> {
  const { adoption } = status ?? {};
  const isKept = spec.adopt !== undefined || adoption?.backup !== undefined;
  return adoption === undefined || !isKept ? {} : { adoption };
}

/** The active Revision has the latest repair; one that has just become active has none yet. */
function repairsOf(
  { status }: Subscription,
  { active, losses }: ResolvedPlan,
): Pick<SubscriptionStatus, 'lastRepair' | 'losses'> {
  const lastRepair = active?.status?.lastRepair ?? status?.lastRepair;
  return { ...(lastRepair !== undefined && { lastRepair }), ...(losses.length > 0 && { losses }) };
}

/** As ready as it was; but unknown if no manager has acted on the present spec. */
export function summarizeSuspension(
  subscription: Subscription,
  { revisions, now }: Pick<SubscriptionFacts, 'revisions' | 'now'>,
): SubscriptionStatus {
  const before = findCondition(subscription.status?.conditions, 'Ready');
  const installed = revisions.find(({ metadata }) => metadata.name === subscription.status?.installed?.revision);
  const isOfSpec = installed !== undefined && isAsRequested(subscription, installed);
  const isUnknown = before?.status !== 'False' && !(before?.status === 'True' && isOfSpec);
  const condition: NextCondition = {
    type: 'Ready',
    status: isUnknown ? 'Unknown' : (before?.status ?? 'Unknown'),
    reason: 'Suspended',
    message: `Suspended: ${isUnknown ? 'the present spec was not acted on, and ' : ''}nothing is done or checked until spec.suspend is false`,
  };
  const conditions = [
    condition,
    ...LASTING_CONDITIONS.flatMap((type) => findCondition(subscription.status?.conditions, type) ?? []),
  ];
  return { ...atRest(subscription), conditions: judge(subscription, conditions as NextCondition[], now) };
}

function pendingOf({ status }: Subscription, plan: ResolvedPlan): SubscriptionStatus['pending'] {
  const next = nextOf(plan);
  const isReached = next?.bundle === plan.installed?.spec.bundle;
  return next && { ...next, ...(isReached ? stepsBehind(status, plan) : stepsOf(status, plan)) };
}

function nextOf({ action, active, installed, failed }: ResolvedPlan): SubscriptionStatus['pending'] {
  if (action.do === 'await') return pending(action.revision, action.hold.reason);
  if (action.do === 'create' || action.do === 'restore') {
    return { ...nameBundle(action.target.bundle), reason: 'Progressing' };
  }
  if (action.do === 'activate' && action.revision !== installed) return pending(action.revision, 'Progressing');
  // It was installed, so that it is not to follow the version before it.
  const isGivenUp = active !== undefined && active === failed && hasWorked(active);
  return active === undefined || active === installed || isGivenUp ? undefined : pending(active, 'Progressing');
}

/** A catalog may contain any text; if the API server rejected the status for it, nothing would be reported. */
function nameBundle({ name, version }: AvailableBundle): Available {
  return { bundle: redact(name).slice(0, 253), version: cutVersion(version) };
}

type Available = NonNullable<SubscriptionStatus['available']>;

function cutVersion(version: string): string {
  return redact(version).slice(0, 256) || '(none)';
}

function pending({ metadata, spec }: Revision, reason: Reason): NonNullable<SubscriptionStatus['pending']> {
  return { revision: metadata.name, bundle: spec.bundle, version: spec.version, reason };
}

function refusedOf(decision: Decision, installed: Revision | undefined): Pick<SubscriptionStatus, 'refused'> {
  const reported = passedOver(decision, installed?.spec)
    .slice(0, STATUS_LIMITS.refused)
    .map(({ version, cause }) => ({
      version: cutVersion(version),
      reason: reasonOfCause(ruledOutBy(cause).kind),
      message: redact(describeCause(cause)).slice(0, 1024),
    }));
  return reported.length === 0 ? {} : { refused: reported };
}

const CAUSES: Readonly<Partial<Record<Cause['kind'], Reason>>> = {
  invalidVersion: 'BundleInvalid',
  requirementInvalid: 'BundleInvalid',
  kubernetesTooOld: 'BundleUnsupported',
  dependency: 'DependencyNotReady',
  quarantined: 'Quarantined',
  otherChannel: 'ChannelNotFound',
  outOfRange: 'VersionNotFound',
  noPath: 'NoUpgradePath',
  wayBarred: 'NoUpgradePath',
  downgrade: 'NoUpgradePath',
  deprecated: 'BundleDeprecated',
};

/** The reason, from the closed list, for a bundle that is not chosen. */
export function reasonOfCause(kind: Cause['kind']): Reason {
  return CAUSES[kind] ?? 'ResolutionFailed';
}

/** When the next window opens, if the plan waits for one. */
function eligibleOf({ action }: ResolvedPlan): Pick<SubscriptionStatus, 'nextEligibleTime'> {
  const until = action.do === 'await' ? action.hold.until : undefined;
  return until === undefined ? {} : { nextEligibleTime: formatTime(until) };
}

/** The status as it was, for the current spec, except for the time of a window: no upgrade starts in it. */
export function atRest(subscription: Subscription): SubscriptionStatus {
  const { nextEligibleTime: _, ...before } = subscription.status ?? {};
  return { ...before, ...observed(subscription) };
}

function observed(subscription: Subscription): Pick<SubscriptionStatus, 'observedGeneration'> {
  return { observedGeneration: subscription.metadata.generation ?? 0 };
}

/**
 * A request that could not be carried out is not marked as handled: it still counts at the next attempt. One that was
 * handled stays so when its annotation is removed.
 */
function handled(subscription: Subscription, done: boolean): SubscriptionStatus {
  const before = subscription.status?.lastHandledReconcileAt;
  const requested = done ? (requestOf(subscription) ?? before) : before;
  return {
    ...observed(subscription),
    ...(requested !== undefined && { lastHandledReconcileAt: requested }),
  };
}

/** The conditions of the status with the next ones in their places. */
export function judge(
  subscription: Subscription,
  next: readonly NextCondition[],
  now: Date,
): NonNullable<SubscriptionStatus['conditions']> {
  const observedGeneration = subscription.metadata.generation ?? 0;
  const { spec, status } = subscription;
  // If a person removes spec.adopt before the hand-over begins, the condition Adopted goes too.
  const isForgotten = spec.adopt === undefined && status?.adoption?.backup === undefined;
  const known = status?.conditions?.filter(({ type }) => !isForgotten || type !== 'Adopted');
  return replaceConditions(known, next, { observedGeneration, now });
}
