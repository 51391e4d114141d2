/** ClusterRoles whose rules the API server fills from others, which an `aggregationRule` selects. Pure. */
import { groupKind, type KubeObject } from './object.ts';
import { isRecord } from './untyped.ts';

/**
 * Whether the API server fills the rules. A Role has no such field: the API server drops it, and keeps the rules.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles
 */
export function isAggregated(object: KubeObject): boolean {
  return groupKind(object) === 'ClusterRole.rbac.authorization.k8s.io' && isRecord(object['aggregationRule']);
}
