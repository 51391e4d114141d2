/** Which OperatorCondition is read before an upgrade: a second decision takes it into account. Pure. */
import { OPERATOR_CONDITION } from '../../api/operator-condition.ts';
import { groupKind, type ObjectRef } from '../../api/object.ts';
import { refOfEntry } from '../../apply/inventory.ts';
import type { Revision } from '../../api/revision.ts';
import type { ResolvedPlan, SubscriptionPlan } from './decide.ts';
import { isOfInstalled } from './installed-version.ts';
import { haveSameBundle, isSameBundle } from '../../api/same-bundle.ts';

/** The OperatorCondition of the running operator, if the plan is to upgrade it and it has one. */
export function conditionToRead(plan: SubscriptionPlan): ObjectRef | undefined {
  if (plan.kind !== 'resolved' || !isUpgrade(plan)) return undefined;
  // Another configuration of the version takes the inventory over.
  const inventory = [plan.active, plan.installed].flatMap((one) => one?.status?.inventory ?? []);
  const entry = inventory.find((one) => groupKind(one) === groupKind(OPERATOR_CONDITION) && one.leftover !== true);
  return entry && { ...refOfEntry(entry), apiVersion: OPERATOR_CONDITION.apiVersion };
}

/** Another bundle than the one that works, and no way back from one that has failed. */
function isUpgrade({ action, installed, active, failed }: ResolvedPlan): boolean {
  if (installed === undefined || failed !== undefined) return false;
  const isRunning = active === undefined || isOfInstalled(active, installed);
  return isRunning && isOtherThan(installed, action);
}

function isOtherThan({ spec }: Revision, action: ResolvedPlan['action']): boolean {
  if (action.do === 'create') return !isSameBundle(action.target.bundle, spec);
  return action.do !== 'nothing' && !haveSameBundle(action.revision.spec, spec);
}
