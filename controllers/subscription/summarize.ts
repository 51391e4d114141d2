/** The status of a Subscription: what is installed, available, happening and wrong, in one place. Pure. */
import { findCondition, isReason, replaceConditions, type NextCondition } from '../../api/conditions.ts';
import type { ReasonedError } from '../../api/errors.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Revision } from '../../api/revision.ts';
import { STATUS_LIMITS, type Subscription, type SubscriptionStatus } from '../../api/subscription.ts';
import type { Choice, Decision } from '../../resolver/decision.ts';
import { describeCause, explainDecision } from '../../resolver/explain.ts';
import type { ResolvedPlan } from './decide.ts';

/** After a plan was carried out, or while it is. @param error What kept it from being carried out. */
export function summarizePlan(
  subscription: Subscription,
  plan: ResolvedPlan,
  { error, now }: { readonly error?: ReasonedError; readonly now: Date },
): SubscriptionStatus {
  const { decision, installed, quarantined } = plan;
  const choice = decision.kind === 'none' ? undefined : decision;
  const pending = pendingOf(plan);
  const conditions = [
    readyOf(subscription, plan, error),
    ...progressOf(subscription, plan, error),
    upgradeOf(subscription, plan),
    deprecationOf(choice),
  ];
  return {
    ...handled(subscription, error === undefined),
    ...(installed !== undefined && { installed: describeInstalled(installed) }),
    ...(choice !== undefined && { available: { bundle: choice.bundle.name, version: choice.bundle.version } }),
    ...(pending !== undefined && { pending }),
    ...(choice !== undefined &&
      choice.path.length > 0 && { path: choice.path.slice(0, STATUS_LIMITS.path).map(({ version }) => version) }),
    ...(quarantined.length > 0 && { quarantined }),
    ...refusedOf(decision, installed),
    conditions: judge(subscription, conditions, now),
  };
}

/** While the Subscription is being removed. */
export function summarizeRemoval(
  subscription: Subscription,
  revisions: readonly Revision[],
  now: Date,
): SubscriptionStatus {
  const telling = revisions.find(({ spec }) => spec.state === 'Active') ?? revisions[0];
  const ready = findCondition(telling?.status?.conditions, 'Ready');
  const blocked = ready?.reason === 'DeleteBlocked';
  const reason: Reason = blocked ? 'DeleteBlocked' : 'Uninstalling';
  const message =
    ready !== undefined && (blocked || ready.reason === 'Uninstalling')
      ? ready.message
      : 'The operator is being removed';
  const progress: NextCondition = { type: blocked ? 'Stalled' : 'Reconciling', status: 'True', reason, message };
  const conditions: NextCondition[] = [{ type: 'Ready', status: 'False', reason, message }, progress];
  return { ...subscription.status, ...observed(subscription), conditions: judge(subscription, conditions, now) };
}

export function summarizeSuspension(subscription: Subscription, now: Date): SubscriptionStatus {
  const before = findCondition(subscription.status?.conditions, 'Ready');
  const condition: NextCondition = {
    type: 'Ready',
    status: before?.status ?? 'Unknown',
    reason: 'Suspended',
    message: 'Suspended: nothing is done until spec.suspend is false',
  };
  return { ...subscription.status, ...observed(subscription), conditions: judge(subscription, [condition], now) };
}

function readyOf(subscription: Subscription, plan: ResolvedPlan, error: ReasonedError | undefined): NextCondition {
  const { active, installed, decision, failed, action } = plan;
  if (error !== undefined && (installed === undefined || active !== installed || !isHealthy(installed))) {
    return { type: 'Ready', status: 'False', reason: error.reason, message: error.describe() };
  }
  if (failed !== undefined && failed === active) return notReady(failed, `${failed.spec.bundle} failed: `);
  if (decision.kind === 'none' && !isGoodEnough(decision.reason, installed)) {
    const { reason, message, hint } = explainDecision(decision, subscription.spec.package);
    return { type: 'Ready', status: 'False', reason, message: withHint(message, hint) };
  }
  if (action.do === 'awaitApproval' && installed === undefined) {
    return { type: 'Ready', status: 'False', reason: 'ApprovalRequired', message: describeApproval(action.revision) };
  }
  if (active === undefined || (action.do !== 'nothing' && action.do !== 'awaitApproval')) {
    return { type: 'Ready', status: 'False', reason: workOf(plan), message: describeWork(plan) };
  }
  if (!isHealthy(active)) return notReady(active, `${active.spec.bundle}: `);
  return {
    type: 'Ready',
    status: 'True',
    reason: 'Succeeded',
    message: `${active.spec.bundle} is installed and healthy${inactiveFields(subscription)}`,
  };
}

function notReady(revision: Revision, prefix: string): NextCondition {
  const ready = findCondition(revision.status?.conditions, 'Ready');
  const reason =
    ready !== undefined && isReason(ready.reason) && ready.status !== 'True' ? ready.reason : 'Progressing';
  return {
    type: 'Ready',
    status: 'False',
    reason,
    message: `${prefix}${ready === undefined || ready.reason === 'Archived' ? 'it is about to be applied' : ready.message}`,
  };
}

/** Reasons that say nothing against what is installed. */
const HARMLESS: ReadonlySet<Reason> = new Set([
  'CatalogUnavailable',
  'CatalogNotFound',
  'PackageNotFound',
  'Quarantined',
]);

function isGoodEnough(reason: Reason, installed: Revision | undefined): boolean {
  return installed !== undefined && HARMLESS.has(reason);
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
  if (failed !== undefined && failed === active && action.do === 'nothing')
    return [{ ...notReady(failed, ''), type: 'Stalled', status: 'True' }];
  if (decision.kind === 'none' && !isGoodEnough(decision.reason, plan.installed)) {
    const type = decision.reason === 'CatalogUnavailable' ? 'Reconciling' : 'Stalled';
    const { message } = explainDecision(decision, subscription.spec.package);
    return [{ type, status: 'True', reason: decision.reason, message }];
  }
  const busy = findCondition(active?.status?.conditions, 'Reconciling');
  const switching = action.do === 'create' || action.do === 'activate' || action.do === 'restore';
  if (!switching && busy === undefined && active !== undefined && active.status !== undefined) return [];
  if (action.do === 'awaitApproval' && active === undefined) return [];
  return [
    {
      type: 'Reconciling',
      status: 'True',
      reason: switching ? workOf(plan) : (troubleOf(active) ?? workOf(plan)),
      message: switching ? describeWork(plan) : (busy?.message ?? describeWork(plan)),
    },
  ];
}

/** Why the active Revision does not come to an end, where there is more to say than that it is under way. */
function troubleOf(active: Revision | undefined): Reason | undefined {
  const ready = findCondition(active?.status?.conditions, 'Ready');
  if (ready === undefined || ready.status === 'True' || !isReason(ready.reason)) return undefined;
  return ready.reason === 'Archived' ? undefined : ready.reason;
}

function workOf({ installed, action, decision }: ResolvedPlan): Reason {
  if (installed === undefined) return 'Installing';
  if (action.do === 'activate' && action.revision === installed) return 'RollingBack';
  return decision.kind === 'upgrade' ? 'Upgrading' : 'Progressing';
}

function describeWork({ action, active, decision }: ResolvedPlan): string {
  if (action.do === 'create' || action.do === 'restore') return `${action.target.bundle.name} is being prepared`;
  if (action.do === 'activate') return `${action.revision.spec.bundle} is being applied`;
  if (active !== undefined) return `${active.spec.bundle} is being applied`;
  return decision.kind === 'none' ? 'Nothing can be installed' : `${decision.next.name} is being prepared`;
}

function describeApproval({ metadata, spec }: Revision): string {
  return `${spec.bundle} waits for approval: kubectl -n ${metadata.namespace} patch revision ${metadata.name} --type merge -p '{"spec":{"approved":true}}'`;
}

function upgradeOf(subscription: Subscription, plan: ResolvedPlan): NextCondition {
  const { decision, action, installed, quarantined } = plan;
  const type = 'UpgradeAvailable';
  if (action.do === 'awaitApproval')
    return { type, status: 'True', reason: 'ApprovalRequired', message: describeApproval(action.revision) };
  if (decision.kind === 'none') {
    const { reason, message, hint } = explainDecision(decision, subscription.spec.package);
    return { type, status: 'Unknown', reason, message: withHint(message, hint) };
  }
  const last = quarantined.at(-1);
  if (installed !== undefined && decision.kind === 'upgrade') {
    return {
      type,
      status: 'True',
      reason: 'UpgradeAvailable',
      message: `${decision.bundle.name} follows ${installed.spec.bundle}`,
    };
  }
  if (last !== undefined)
    return {
      type,
      status: 'True',
      reason: 'Quarantined',
      message: `${last.bundle} failed and is not tried again until a newer version exists, the spec changes or a reconcile is asked for: ${last.message}`,
    };
  return {
    type,
    status: 'False',
    reason: 'UpToDate',
    message: explainDecision(decision, subscription.spec.package).message,
  };
}

function deprecationOf(choice: Choice | undefined): NextCondition {
  const type = 'Deprecated';
  const { package: ofPackage, channel, bundle } = choice?.deprecations ?? {};
  if (bundle !== undefined) return { type, status: 'True', reason: 'BundleDeprecated', message: bundle };
  if (channel !== undefined) return { type, status: 'True', reason: 'ChannelDeprecated', message: channel };
  if (ofPackage !== undefined) return { type, status: 'True', reason: 'PackageDeprecated', message: ofPackage };
  return { type, status: 'False', reason: 'NotDeprecated', message: 'Nothing in use is deprecated' };
}

function describeInstalled({ metadata, spec }: Revision): NonNullable<SubscriptionStatus['installed']> {
  const { bundle, version, release, image, catalog, channel } = spec;
  return {
    bundle,
    version,
    image,
    catalog,
    revision: metadata.name,
    ...(release !== undefined && { release }),
    ...(channel !== undefined && { channel }),
  };
}

function pendingOf({ action, active, installed }: ResolvedPlan): SubscriptionStatus['pending'] {
  if (action.do === 'awaitApproval') return pending(action.revision, 'ApprovalRequired');
  if (action.do === 'create' || action.do === 'restore') {
    const { name, version } = action.target.bundle;
    return { bundle: name, version, reason: 'Progressing' };
  }
  return active === undefined || active === installed ? undefined : pending(active, 'Progressing');
}

function pending({ metadata, spec }: Revision, reason: Reason): NonNullable<SubscriptionStatus['pending']> {
  return { revision: metadata.name, bundle: spec.bundle, version: spec.version, reason };
}

/** Only what a person may ask about: versions other than the installed one, the newest first. */
function refusedOf({ refused }: Decision, installed: Revision | undefined): Pick<SubscriptionStatus, 'refused'> {
  const told = refused
    .filter(({ bundle, cause }) => bundle !== installed?.spec.bundle && cause.kind !== 'lower')
    .slice(0, STATUS_LIMITS.refused)
    .map(({ version, cause }) => ({
      version,
      reason: reasonOfCause(cause.kind),
      message: describeCause(cause).slice(0, 1024),
    }));
  return told.length === 0 ? {} : { refused: told };
}

const CAUSES: Readonly<Record<string, Reason>> = {
  quarantined: 'Quarantined',
  otherChannel: 'ChannelNotFound',
  outOfRange: 'VersionNotFound',
  noPath: 'NoUpgradePath',
  downgrade: 'NoUpgradePath',
  deprecated: 'BundleDeprecated',
};

function reasonOfCause(kind: string): Reason {
  return CAUSES[kind] ?? 'ResolutionFailed';
}

function isHealthy({ status }: Revision): boolean {
  return findCondition(status?.conditions, 'Ready')?.status === 'True';
}

/** What the schema takes and this version does not act on. */
function inactiveFields({ spec }: Subscription): string {
  const inactive = [
    spec.windows !== undefined && 'windows',
    spec.crdUpgradeSafety.waivers !== undefined && 'crdUpgradeSafety',
  ].filter((name) => name !== false);
  return inactive.length === 0
    ? ''
    : `; ${inactive.map((name) => `spec.${name}`).join(', ')} does not act in this version`;
}

function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}. ${hint}`;
}

function observed(subscription: Subscription): Pick<SubscriptionStatus, 'observedGeneration'> {
  return { observedGeneration: subscription.metadata.generation ?? 0 };
}

/** A request that could not be carried out is not handled: it still counts at the next attempt. */
function handled(subscription: Subscription, done: boolean): SubscriptionStatus {
  const requested = done
    ? subscription.metadata.annotations?.[ANNOTATION.reconcileRequestedAt]
    : subscription.status?.lastHandledReconcileAt;
  return {
    ...observed(subscription),
    ...(requested !== undefined && { lastHandledReconcileAt: requested.slice(0, 256) }),
  };
}

function judge(
  subscription: Subscription,
  next: readonly NextCondition[],
  now: Date,
): NonNullable<SubscriptionStatus['conditions']> {
  const observedGeneration = subscription.metadata.generation ?? 0;
  return replaceConditions(subscription.status?.conditions, next, { observedGeneration, now });
}
