/**
 * The rights that OLM gave an operator, its OperatorCondition, and webhook configurations whose server is gone, if Slipway does not
 * manage them: an uninstall deletes them, for an owner reference cannot tie objects of the cluster and of other namespaces to Slipway's Subscription. The backup lists them, and
 * the mark of the hand-over on the object proves that it is the same. Pure.
 */
import { ANNOTATION, API_VERSION } from '../api/names.ts';
import { refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { fieldsOf, listOf, textOf } from '../api/untyped.ts';
import { identityOf } from '../apply/identity.ts';
import { nameOnly } from '../apply/listed-parts.ts';
import { beginningOf } from '../apply/short-text.ts';
import { bindsToo, ownedBy, usedBy, type Kept } from './kept.ts';
import type { HandedOver } from './handed-over.ts';
import { OLM } from './olm-v0/kinds.ts';
import { isBinding, isRight, roleOf } from './olm-v0/rights.ts';

export interface Remains {
  /** Bindings first. */
  readonly due: readonly KubeObject[];
  readonly kept: readonly Kept[];
}

/** Objects that may use those of the backup. */
export interface Surroundings {
  /** All RoleBindings and ClusterRoleBindings of the cluster, or those parts of them that `bindingParts` keeps. */
  readonly bindings: readonly KubeObject[];
  /** Those of `servicesOf` that exist. */
  readonly services?: readonly KubeObject[];
}

/** @param live The objects of the backup that exist. */
export function judgeRemains(
  handedOver: HandedOver,
  live: readonly KubeObject[],
  { bindings, services = [] }: Surroundings,
): Remains {
  const staying = services.filter((one) => !isManaged(one, handedOver)).map(({ metadata }) => metadata.name);
  const judged = live
    .filter((object) => isLeft(object, handedOver))
    .map((object) => ({ object, why: whyKept(object, handedOver, new Set(staying)) }));
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

/** More characters than a name has. */
const MOST_OF_NAME = 512;

/** What `judgeRemains` reads of a binding of others, however many accounts it binds: its name, its role, and who manages it. */
export function bindingParts(binding: KubeObject): KubeObject {
  const { kind, name } = fieldsOf(binding['roleRef']);
  const { metadata, ...named } = nameOnly(binding);
  const owner = binding.metadata.annotations?.[ANNOTATION.owner];
  return {
    ...named,
    metadata: {
      ...metadata,
      ...(owner !== undefined && { annotations: { [ANNOTATION.owner]: beginningOf(owner, MOST_OF_NAME) } }),
    },
    roleRef: { kind: beginningOf(textOf(kind), MOST_OF_NAME), name: beginningOf(textOf(name), MOST_OF_NAME) },
  };
}

/** Whether a Deployment of the operator is there that Slipway has not taken over, so that it may need the rights. */
export function isRunning(handedOver: HandedOver, live: readonly KubeObject[]): boolean {
  return live.some((object) => object.kind === 'Deployment' && isLeft(object, handedOver));
}

/** The Services of the operator's namespace that the webhook configurations of a backup call. */
export function servicesOf({ namespace }: HandedOver, live: readonly KubeObject[]): readonly ObjectRef[] {
  const called = live.filter(isWebhooks).flatMap((object) => calledBy(object));
  const names = new Set(called.filter((one) => one.namespace === namespace).map((one) => one.name));
  return [...names].map((name) => ({ apiVersion: 'v1', kind: 'Service', namespace, name }));
}

/** Whether the object configures webhooks of the API server. */
export function isWebhooks({ kind }: KubeObject): boolean {
  return /^(?:Mutating|Validating)WebhookConfiguration$/.test(kind);
}

/** The Service of each webhook, without names for a URL. */
function calledBy(object: KubeObject): readonly { readonly namespace: string; readonly name: string }[] {
  return listOf(object['webhooks']).map((one) => {
    const { namespace, name } = fieldsOf(fieldsOf(one['clientConfig'])['service']);
    return { namespace: textOf(namespace), name: textOf(name) };
  });
}

/** Whether the hand-over marked it, and Slipway has not taken it over since. */
function isLeft({ metadata: { annotations = {} } }: KubeObject, { namespace, adoptedBy }: HandedOver): boolean {
  return annotations[ANNOTATION.adoptBy] === `${namespace}/${adoptedBy}` && !(ANNOTATION.owner in annotations);
}

/** Whether it goes with the Subscription anyway. */
function isManaged({ metadata: { annotations = {} } }: KubeObject, { namespace, adoptedBy }: HandedOver): boolean {
  return annotations[ANNOTATION.owner] === `${namespace}/${adoptedBy}`;
}

/** @param staying Names of the Services of the operator's namespace that stay. */
function whyKept(
  object: KubeObject,
  handedOver: HandedOver,
  staying: ReadonlySet<string>,
): Omit<Kept, 'ref'> | undefined {
  const { namespace: home, adoptedBy, isMarked } = handedOver;
  if (isMarked(object)) return { why: 'OLM has marked it again' };
  const { namespace, ownerReferences = [] } = object.metadata;
  const isReadable = namespace === home;
  const owner = ownerReferences.find(({ apiVersion, name }) => apiVersion !== API_VERSION || name !== adoptedBy);
  if (owner !== undefined) return ownedBy(owner, isReadable);
  if (isWebhooks(object)) {
    // Without its Service the API server may reject each write of the kinds.
    const isServed = calledBy(object).some((one) => one.namespace !== home || staying.has(one.name));
    return isServed ? { why: 'a program may serve its webhooks' } : undefined;
  }
  if (!isRight(object) && object.kind !== OLM.operatorCondition.kind)
    return { why: 'only rights are deleted, and other objects may be in use' };
  const other = listOf(object['subjects']).find((one) => one['kind'] !== 'ServiceAccount' || one['namespace'] !== home);
  return other === undefined ? undefined : bindsToo(other, isReadable);
}
