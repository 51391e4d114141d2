/**
 * The objects of an operator that OLM v0 made and that Slipway neither renders nor replaces: they are deleted with Slipway's
 * Subscription, by an owner reference. Objects of the cluster and of other namespaces cannot have one. Pure.
 */
import { ANNOTATION, API_VERSION } from '../../api/names.ts';
import { refOf, type KubeObject, type ObjectRef, type OwnerReference } from '../../api/object.ts';
import type { Backup } from './backup.ts';
import { conditionRights } from './condition.ts';
import { OLM, olmRef } from './kinds.ts';

const RIGHTS: ReadonlySet<string> = new Set(['Role', 'RoleBinding']);

/** Those of the namespace that may exist: the OperatorCondition, and rights that OLM gives besides those of the bundle. */
export function tiedRefs(backup: Backup): readonly ObjectRef[] {
  const { operator, objects } = backup;
  const { namespace, csv } = operator;
  const rights = objects
    .filter((one) => one.namespace === namespace && RIGHTS.has(one.kind))
    .map(({ apiVersion, kind, name }) => ({ apiVersion, kind, namespace, name }));
  // If OLM was slow, those that stand in for its own are left.
  return [olmRef(OLM.operatorCondition, namespace, csv), ...rights, ...conditionRights(backup).map(refOf)];
}

/** The owner references with the Subscription; undefined if nothing has to be written. Slipway deletes objects that it manages itself. */
export function tiedTo({ metadata }: KubeObject, subscription: KubeObject): readonly OwnerReference[] | undefined {
  const { annotations = {}, ownerReferences = [] } = metadata;
  const { apiVersion, kind } = subscription;
  const { name, uid = '' } = subscription.metadata;
  if (ANNOTATION.owner in annotations || ownerReferences.some((one) => one.uid === uid)) return undefined;
  return [...ownerReferences, { apiVersion, kind, name, uid }];
}

/** The owner references without those to Subscriptions of Slipway; undefined if nothing has to be written. */
export function untied({ metadata }: KubeObject): readonly OwnerReference[] | undefined {
  const { ownerReferences = [] } = metadata;
  const others = ownerReferences.filter(({ apiVersion }) => apiVersion !== API_VERSION);
  return others.length === ownerReferences.length ? undefined : others;
}
