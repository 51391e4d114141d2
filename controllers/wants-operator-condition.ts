/** Whether an operator gets an OperatorCondition. Pure; the manager and the plan from files ask it. See decision 33. */
import { OPERATOR_CONDITION } from '../api/operator-condition.ts';
import type { Subscription } from '../api/subscription.ts';
import type { Bundle } from '../bundles/bundle.ts';
import { usesOperatorCondition } from '../bundles/render/render.ts';
import type { GroupVersionKind } from '../catalog/model.ts';

/**
 * Whether the objects of an installation have one: as the Subscription says, else if the bundle shows that it uses one
 * and the cluster serves the kind.
 */
export function wantsOperatorCondition(
  { spec }: Pick<Subscription, 'spec'>,
  bundle: Bundle,
  isServed: boolean,
): boolean {
  const { operatorCondition = 'Auto' } = spec;
  if (operatorCondition !== 'Auto') return operatorCondition === 'Always';
  return isServed && usesOperatorCondition(bundle);
}

/** Whether the kind is among those that a cluster serves. */
export function servesOperatorConditions(kinds: readonly GroupVersionKind[]): boolean {
  const [group, version] = OPERATOR_CONDITION.apiVersion.split('/');
  return kinds.some((one) => one.kind === OPERATOR_CONDITION.kind && one.group === group && one.version === version);
}
