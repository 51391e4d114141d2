/** The OperatorCondition of OLM, which operators write to hold their upgrades. Pure. @see https://olm.operatorframework.io/docs/advanced-tasks/communicating-operator-conditions-to-olm/ */
import type { Kind } from './object.ts';

/** The version that is written. */
export const OPERATOR_CONDITION = {
  apiVersion: 'operators.coreos.com/v2',
  kind: 'OperatorCondition',
} as const satisfies Kind;

/** The only type of condition that has an effect. */
export const UPGRADEABLE = 'Upgradeable';
