/**
 * The rights that OLM v0 gave an operator, and its OperatorCondition, if Slipway does not manage them: an uninstall deletes them,
 * for an owner reference cannot tie objects of the cluster and of other namespaces to Slipway's Subscription. The backup lists them, and
 * the mark of the hand-over on the object proves that it is the same. Pure.
 */
import { ANNOTATION, API_VERSION } from '../../api/names.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { listOf, textOf } from '../../api/untyped.ts';
import { identityOf } from '../../apply/identity.ts';
import type { Backup } from './backup.ts';
import { OLM, olmRef } from './kinds.ts';
import { isMarked } from './marks.ts';
import { isBinding, isRight, roleOf } from './rights.ts';

/** An object that is not deleted, and why. */
export interface Kept {
  readonly ref: ObjectRef;
  readonly why: string;
}

export interface Remains {
  /** Bindings first. */
  readonly due: readonly KubeObject[];
  readonly kept: readonly Kept[];
}

/** The objects that may be left: those that OLM had marked, and the OperatorCondition. */
export function refsOf({ objects, operator, operatorCondition }: Backup): readonly ObjectRef[] {
  const condition = olmRef(OLM.operatorCondition, operator.namespace, operator.csv);
  return [...objects, ...(operatorCondition === undefined ? [] : [condition])];
}

/**
 * @param live The objects of the backup that exist.
 * @param bindings All RoleBindings and ClusterRoleBindings of the cluster.
 */
export function judgeRemains(backup: Backup, live: readonly KubeObject[], bindings: readonly KubeObject[]): Remains {
  const judged = live
    .filter((object) => isLeft(object, backup))
    .map((object) => ({ object, why: whyKept(object, backup) }));
  const free = judged.flatMap(({ object, why }) => (why === undefined ? [object] : []));
  const going = new Set(free.filter(isBinding).map((one) => identityOf(refOf(one))));
  const others = bindings.filter((one) => !going.has(identityOf(refOf(one))) && !isManaged(one, backup));
  const users = Map.groupBy(others, roleOf);
  const userOf = (object: KubeObject): KubeObject | undefined => users.get(identityOf(refOf(object)))?.[0];
  const due = free.filter((object) => userOf(object) === undefined);
  return {
    due: due.toSorted((a, b) => Number(isBinding(b)) - Number(isBinding(a))),
    kept: [
      ...judged.flatMap(({ object, why }) => (why === undefined ? [] : [{ ref: refOf(object), why }])),
      ...free.flatMap((object) => {
        const user = userOf(object);
        return user === undefined ? [] : [{ ref: refOf(object), why: `${describeRef(refOf(user))} uses it` }];
      }),
    ],
  };
}

/** Whether the hand-over marked it, and Slipway has not taken it over since. */
function isLeft({ metadata: { annotations = {} } }: KubeObject, { operator, adoptedBy }: Backup): boolean {
  return annotations[ANNOTATION.adoptBy] === `${operator.namespace}/${adoptedBy}` && !(ANNOTATION.owner in annotations);
}

/** Whether it goes with the Subscription anyway. */
function isManaged({ metadata: { annotations = {} } }: KubeObject, { operator, adoptedBy }: Backup): boolean {
  return annotations[ANNOTATION.owner] === `${operator.namespace}/${adoptedBy}`;
}

function whyKept(object: KubeObject, { operator, adoptedBy }: Backup): string | undefined {
  if (isMarked(object)) return 'OLM has marked it again';
  const { ownerReferences = [] } = object.metadata;
  const owner = ownerReferences.find(({ apiVersion, name }) => apiVersion !== API_VERSION || name !== adoptedBy);
  if (owner !== undefined) return `it belongs to ${owner.kind} ${owner.name}`;
  if (!isRight(object) && object.kind !== OLM.operatorCondition.kind)
    return 'only rights are deleted, and other objects may be in use';
  const other = listOf(object['subjects']).find(
    ({ kind, namespace }) => kind !== 'ServiceAccount' || namespace !== operator.namespace,
  );
  return other === undefined ? undefined : `it binds ${textOf(other['kind'])} ${textOf(other['name'])} too`;
}
