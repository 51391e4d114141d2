/**
 * Why a right that OLM had given an operator is not deleted: for a person who may read the cluster, and for the readers of the
 * operator's namespace, to whom no object and no account of other namespaces is named. Pure.
 */
import { describeRef, refOf, type KubeObject, type ObjectRef, type OwnerReference } from '../api/object.ts';
import { textOf, type Fields } from '../api/untyped.ts';

/** An object that is not deleted, and why. */
export interface Kept {
  readonly ref: ObjectRef;
  /** Names nothing that the readers of the operator's namespace may not read. */
  readonly why: string;
  /** The same with all names; absent if it is the same. */
  readonly named?: string;
}

type Why = Omit<Kept, 'ref'>;

/** It has an owner beside Slipway's Subscription. */
export function ownedBy({ kind, name }: OwnerReference, isReadable: boolean): Why {
  const named = `it belongs to ${kind} ${name}`;
  return isReadable ? { why: named } : { why: `it belongs to a ${kind}`, named };
}

/** It binds an account beside those of the operator. */
export function bindsToo({ kind, name }: Fields, isReadable: boolean): Why {
  const named = `it binds ${textOf(kind)} ${textOf(name)} too`;
  if (isReadable) return { why: named };
  const where = kind === 'ServiceAccount' ? ' of another namespace' : '';
  return { why: `it binds a ${textOf(kind)}${where} too`, named };
}

/**
 * @param users Bindings of others that name it; at least one.
 * @param namespace That of the operator.
 */
export function usedBy(users: readonly KubeObject[], namespace: string): Why {
  const readable = users.find(({ metadata }) => metadata.namespace === namespace);
  if (readable !== undefined) return { why: `${describeRef(refOf(readable))} uses it` };
  const elsewhere = users.filter(({ metadata }) => metadata.namespace !== undefined).length;
  const ofCluster = users.length - elsewhere;
  const counts = [
    ...(elsewhere === 0 ? [] : [elsewhere === 1 ? 'a RoleBinding of another namespace' : `${elsewhere} RoleBindings of other namespaces`]),
    ...(ofCluster === 0 ? [] : [ofCluster === 1 ? 'a ClusterRoleBinding' : `${ofCluster} ClusterRoleBindings`]),
  ]; // prettier-ignore
  const why = `${counts.join(' and ')} ${users.length === 1 ? 'uses' : 'use'} it`;
  return { why, named: `${describeRef(refOf(users[0] as KubeObject))} uses it` };
}
