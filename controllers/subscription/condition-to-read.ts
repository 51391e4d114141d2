/** Which OperatorCondition is read before an upgrade: a second decision takes it into account. Pure. */
import { OPERATOR_CONDITION } from '../../api/operator-condition.ts';
import { groupKind, type ObjectRef } from '../../api/object.ts';
import { refOfEntry } from '../../apply/inventory.ts';
import type { Revision } from '../../api/revision.ts';
import type { ResolvedPlan, SubscriptionPlan } from './decide.ts';
import { isOfInstalled } from './installed-version.ts';
import { haveSameBundle, isSameBundle } from '../../api/same-bundle.ts';
import { isRunning } from './under-way.ts';

/** The OperatorCondition of the running operator, if the plan is to upgrade it and it has one. */
export function conditionToRead(plan: SubscriptionPlan, revisions: readonly Revision[]): ObjectRef | undefined {
  if (plan.kind !== 'resolved' || !isUpgrade(plan, revisions)) return undefined;
  // Another configuration of the version takes the inventory over.
  const inventory = [plan.active, plan.installed].flatMap((one) => one?.status?.inventory ?? []);
  const entry = inventory.find((one) => groupKind(one) === groupKind(OPERATOR_CONDITION) && one.leftover !== true);
  return entry && { ...refOfEntry(entry), apiVersion: OPERATOR_CONDITION.apiVersion };
}

/** Another bundle than the one that works, which also runs. One that fails is not asked. */
function isUpgrade({ action, installed, active, failed }: ResolvedPlan, revisions: readonly Revision[]): boolean {
  if (installed === undefined || isOfInstalled(failed, installed)) return false;
  return isRunning(installed, active, revisions) && isOtherThan(installed, action);
}

function isOtherThan({ spec }: Revision, action: ResolvedPlan['action']): boolean {
  if (action.do === 'create') return !isSameBundle(action.target.bundle, spec);
  return action.do !== 'nothing' && !haveSameBundle(action.revision.spec, spec);
}
