/**
 * Metadata of a cluster-scoped object by which its maker would keep a hold on it after a Subscription took it over. Others than
 * those who install may create such an object, and write a claim that hands it over; in a namespace its own people decide. Fields
 * that only an event names are in taken-over.ts. Pure; called by take-over.ts, and for plans.
 */
import { isCrd } from '../api/crd-kind.ts';
import { ReasonedError } from '../api/errors.ts';
import { nameFirst } from '../api/name-some.ts';
import { describeRef, groupKind, refOf, type KubeObject, type OwnerReference } from '../api/object.ts';
import type { Ownership } from './collision.ts';
import type { Owner } from './prepare.ts';
import { beginningOf } from './short-text.ts';
import { isMadeByUs } from './write.ts';

export type Planted =
  /** Objects of other programs, with which the garbage collector may delete this one. */
  | { readonly kind: 'owners'; readonly names: string }
  /** Labels by which Kubernetes adds the rules of a ClusterRole to another one, such as `view`, and so gives them to its users. */
  | { readonly kind: 'labels'; readonly names: string };

/** For an object that is not in the inventory; undefined if it may be taken over. */
export function plantedOn(
  object: KubeObject,
  live: KubeObject,
  { owner, ownership }: { readonly owner: Owner; readonly ownership: Ownership },
): Planted | undefined {
  if (live.metadata.namespace !== undefined) return undefined;
  const labels = labelsOfAggregation(object, live);
  if (labels.length > 0) return { kind: 'labels', names: nameShort(labels) };
  // The operator may have set an owner on an object that a manager made before it was killed; it sets none on its CRDs.
  if (ownership.kind === 'ours' && !isCrd(live) && isMadeByUs(live)) return undefined;
  const owners = (live.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.uid);
  if (owners.length === 0) return undefined;
  return { kind: 'owners', names: nameOwners(owners) };
}

const AGGREGATE_TO = 'rbac.authorization.k8s.io/aggregate-to-';

function labelsOfAggregation(object: KubeObject, live: KubeObject): readonly string[] {
  if (groupKind(live) !== 'ClusterRole.rbac.authorization.k8s.io') return [];
  const { labels: wanted = {} } = object.metadata;
  return Object.keys(live.metadata.labels ?? {}).filter((key) => key.startsWith(AGGREGATE_TO) && !(key in wanted));
}

/** Their maker may write many, and long ones. */
const [MOST_NAMES, MOST_CHARACTERS] = [10, 300];

function nameShort(names: readonly string[]): string {
  const first = names.slice(0, MOST_NAMES).map((name) => beginningOf(name, MOST_CHARACTERS));
  return nameFirst(first, names.length);
}

/** `Deployment a, Job b and 3 more`: the first of the owners of an object. */
export function nameOwners(owners: readonly OwnerReference[]): string {
  return nameShort(owners.map(({ kind, name }) => `${kind} ${name}`));
}

/** The error for an object that a claim hands over: Collision, retried with growing delays since a person may resolve it. */
export function plantedError(live: KubeObject, planted: Planted): ReasonedError {
  const field = planted.kind === 'owners' ? 'metadata.ownerReferences' : 'these labels';
  return new ReasonedError({
    reason: 'Collision',
    retry: 'backoff',
    message: `${describeRef(refOf(live))} exists already, and ${MEANING[planted.kind]} ${planted.names}`,
    hint: `It stays as it is. Find out who has made it; if it is to be taken over nevertheless, remove ${field} from it first`,
  });
}

/** For a plan: the owner of the object that a claim hands over. */
export function describePlanted({ kind, names }: Planted): string {
  return `another maker: ${MEANING[kind]} ${names}`;
}

const MEANING: Readonly<Record<Planted['kind'], string>> = {
  owners: 'the garbage collector may delete it with its owner',
  labels: 'Kubernetes adds its rules to other ClusterRoles, by labels that the bundle does not set:',
};
