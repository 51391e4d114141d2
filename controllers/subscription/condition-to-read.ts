/** Which OperatorCondition is read before an upgrade: a second decision takes it into account. Pure. */
import { OPERATOR_CONDITION } from '../../api/operator-condition.ts';
import { groupKind, type ObjectRef } from '../../api/object.ts';
import { refOfEntry } from '../../apply/inventory.ts';
import type { ResolvedPlan, SubscriptionPlan } from './decide.ts';

/** The OperatorCondition of the running operator, if the plan is to upgrade it and it has one. */
export function conditionToRead(plan: SubscriptionPlan): ObjectRef | undefined {
  if (plan.kind !== 'resolved' || !isUpgrade(plan)) return undefined;
  const inventory = plan.installed?.status?.inventory ?? [];
  const entry = inventory.find((one) => groupKind(one) === groupKind(OPERATOR_CONDITION) && one.leftover !== true);
  return entry && { ...refOfEntry(entry), apiVersion: OPERATOR_CONDITION.apiVersion };
}

/** Another bundle than the one that works, and no way back from one that has failed. */
function isUpgrade({ action, installed, active, failed }: ResolvedPlan): boolean {
  if (installed === undefined || failed !== undefined || (active !== undefined && active !== installed)) return false;
  return nextBundle(action) !== undefined && nextBundle(action) !== installed.spec.bundle;
}

function nextBundle(action: ResolvedPlan['action']): string | undefined {
  if (action.do === 'create') return action.target.bundle.name;
  return action.do === 'nothing' ? undefined : action.revision.spec.bundle;
}
