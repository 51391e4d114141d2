/** The conditions of a Subscription about versions: failed upgrades, newer versions, deprecations. Pure. */
import { isReason, type NextCondition } from '../../api/conditions.ts';
import type { Subscription } from '../../api/subscription.ts';
import { describeOpenShift, explainDecision } from '../../resolver/explain.ts';
import type { ResolvedPlan } from './decide.ts';
import { describeHindrance, describeRefusedUpgrade } from './hindrance.ts';
import { rowOf, type NewerStates, type Rows, type Tagged } from './situation.ts';
import { describeHold, describeMove, describeUpgradeFailure, withHint } from './wording.ts';

/** The upgrade that cannot be begun and is not tried again, else the one that failed, until it is superseded. */
export function failureOf(
  subscription: Subscription,
  plan: ResolvedPlan,
  newer: Tagged<NewerStates>,
): readonly NextCondition[] {
  const { failure } = plan;
  if (newer.kind === 'hindered' && newer.error.retry === 'never') {
    const message = describeRefusedUpgrade(subscription, newer);
    return [{ type: 'UpgradeFailed', status: 'True', reason: newer.error.reason, message }];
  }
  if (failure === undefined) return [];
  const reason = isReason(failure.reason) ? failure.reason : 'ApplyFailed';
  return [{ type: 'UpgradeFailed', status: 'True', reason, message: describeUpgradeFailure(subscription, plan) }];
}

/** Whether a newer version exists, and why it is not installed. */
export function upgradeOf(subscription: Subscription, plan: ResolvedPlan, newer: Tagged<NewerStates>): NextCondition {
  const row = rowOf(UPGRADE_AVAILABLE, newer, subscription.spec.package);
  return { type: 'UpgradeAvailable', ...row, message: `${row.message}${remarkOnLimit(plan, newer)}` };
}

/** OpenShift does not wait for an upgrade of the operator, so each state of it reports the limit; `upToDate` does so itself. */
function remarkOnLimit({ decision, installed }: ResolvedPlan, { kind }: Tagged<NewerStates>): string {
  const limit = decision.inUse?.openShift;
  if (limit === undefined || installed === undefined || kind === 'upToDate') return '';
  return `; ${installed.spec.bundle}, which is installed, ${describeOpenShift(limit)}`;
}

const UPGRADE_AVAILABLE: Rows<NewerStates, string, Omit<NextCondition, 'type'>> = {
  held: ({ waiting }) => ({ status: 'True', reason: waiting.hold.reason, message: describeHold(waiting) }),
  unknown: ({ decision }, packageName) => {
    const { reason, message, hint } = explainDecision(decision, packageName);
    return { status: 'Unknown', reason, message: withHint(message, hint) };
  },
  available: ({ choice, installed }) => ({
    status: 'True',
    reason: 'UpgradeAvailable',
    message: `${choice.bundle.name} follows ${installed.spec.bundle}${describeMove(choice, installed)}`,
  }),
  hindered: (hindrance) => ({
    status: 'True',
    reason: hindrance.error.reason,
    message: describeHindrance(hindrance),
  }),
  quarantined: ({ failure: { bundle, message } }) => ({
    status: 'True',
    reason: 'Quarantined',
    message: `${bundle} failed, and is not tried again until one of these happens: a newer version exists; the version, channel, catalog or configuration in the spec changes; a person requests a reconcile: ${message}`,
  }),
  upToDate: ({ choice }, packageName) => ({
    status: 'False',
    reason: 'UpToDate',
    message: explainDecision(choice, packageName).message,
  }),
};

/** About the installed bundle, not its successor; if none is installed, about the chosen one. */
export function deprecationOf({ decision, installed }: ResolvedPlan): NextCondition {
  const type = 'Deprecated';
  const chosen = decision.kind === 'none' ? {} : decision.deprecations;
  const deprecations = installed === undefined ? chosen : decision.inUse;
  if (deprecations === undefined) {
    const message = 'Deprecation is unknown: no catalog lists the installed bundle';
    return { type, status: 'Unknown', reason: 'CatalogUnavailable', message };
  }
  const { package: ofPackage, channel, bundle } = deprecations;
  if (bundle !== undefined) return { type, status: 'True', reason: 'BundleDeprecated', message: bundle };
  if (channel !== undefined) return { type, status: 'True', reason: 'ChannelDeprecated', message: channel };
  if (ofPackage !== undefined) return { type, status: 'True', reason: 'PackageDeprecated', message: ofPackage };
  return { type, status: 'False', reason: 'NotDeprecated', message: 'Nothing in use is deprecated' };
}
