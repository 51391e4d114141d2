/**
 * The rights that OLM gave an operator, and its OperatorCondition, if Slipway does not manage them: an uninstall deletes them,
 * for an owner reference cannot tie objects of the cluster and of other namespaces to Slipway's Subscription. The backup lists them, and
 * the mark of the hand-over on the object proves that it is the same. Pure.
 */
import { ANNOTATION, API_VERSION } from '../api/names.ts';
import { refOf, type KubeObject } from '../api/object.ts';
import { listOf } from '../api/untyped.ts';
import { identityOf } from '../apply/identity.ts';
import { bindsToo, ownedBy, usedBy, type Kept } from './kept.ts';
import type { HandedOver } from './handed-over.ts';
import { OLM } from './olm-v0/kinds.ts';
import { isBinding, isRight, roleOf } from './olm-v0/rights.ts';

export interface Remains {
  /** Bindings first. */
  readonly due: readonly KubeObject[];
  readonly kept: readonly Kept[];
}

/**
 * @param live The objects of the backup that exist.
 * @param bindings All RoleBindings and ClusterRoleBindings of the cluster.
 */
export function judgeRemains(
  handedOver: HandedOver,
  live: readonly KubeObject[],
  bindings: readonly KubeObject[],
): Remains {
  const judged = live
    .filter((object) => isLeft(object, handedOver))
    .map((object) => ({ object, why: whyKept(object, handedOver) }));
  const free = judged.flatMap(({ object, why }) => (why === undefined ? [object] : []));
  const going = new Set(free.filter(isBinding).map((one) => identityOf(refOf(one))));
  const others = bindings.filter((one) => !going.has(identityOf(refOf(one))) && !isManaged(one, handedOver));
  const users = Map.groupBy(others, roleOf);
  const usersOf = (object: KubeObject): readonly KubeObject[] => users.get(identityOf(refOf(object))) ?? [];
  const due = free.filter((object) => usersOf(object).length === 0);
  const { namespace } = handedOver;
  return {
    due: due.toSorted((a, b) => Number(isBinding(b)) - Number(isBinding(a))),
    kept: [
      ...judged.flatMap(({ object, why }) => (why === undefined ? [] : [{ ref: refOf(object), ...why }])),
      ...free
        .filter((object) => !due.includes(object))
        .map((object) => ({ ref: refOf(object), ...usedBy(usersOf(object), namespace) })),
    ],
  };
}

/** Whether the hand-over marked it, and Slipway has not taken it over since. */
function isLeft({ metadata: { annotations = {} } }: KubeObject, { namespace, adoptedBy }: HandedOver): boolean {
  return annotations[ANNOTATION.adoptBy] === `${namespace}/${adoptedBy}` && !(ANNOTATION.owner in annotations);
}

/** Whether it goes with the Subscription anyway. */
function isManaged({ metadata: { annotations = {} } }: KubeObject, { namespace, adoptedBy }: HandedOver): boolean {
  return annotations[ANNOTATION.owner] === `${namespace}/${adoptedBy}`;
}

function whyKept(object: KubeObject, handedOver: HandedOver): Omit<Kept, 'ref'> | undefined {
  const { namespace: home, adoptedBy, isMarked } = handedOver;
  if (isMarked(object)) return { why: 'OLM has marked it again' };
  const { namespace, ownerReferences = [] } = object.metadata;
  const isReadable = namespace === home;
  const owner = ownerReferences.find(({ apiVersion, name }) => apiVersion !== API_VERSION || name !== adoptedBy);
  if (owner !== undefined) return ownedBy(owner, isReadable);
  if (!isRight(object) && object.kind !== OLM.operatorCondition.kind)
    return { why: 'only rights are deleted, and other objects may be in use' };
  const other = listOf(object['subjects']).find((one) => one['kind'] !== 'ServiceAccount' || one['namespace'] !== home);
  return other === undefined ? undefined : bindsToo(other, isReadable);
}
