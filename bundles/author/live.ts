/**
 * Chooses the objects of a cluster by which an operator in one namespace was installed. An object that a controller or the
 * cluster itself makes is left out by name, and so is every Secret that the author does not name. Pure.
 */
import { describeRef, groupKind, refOf, type KubeObject } from '../../api/object.ts';
import type { AuthorFinding, Placement } from './ledger.ts';
import { withoutServerFields } from './live-fields.ts';
import { reasonToLeave, secretsNeededBy } from './live-inside.ts';
import { OutsideObjects } from './live-outside.ts';
import { invalidInput } from '../../api/invalid-input.ts';
import type { SourceObject } from './source.ts';

/** Objects as the API server returns them. */
export interface LiveObjects {
  /** Every object of the namespace. */
  readonly inside: readonly KubeObject[];
  /** Objects of other namespaces and of none that may belong to the operator. */
  readonly outside: readonly KubeObject[];
}

export interface LiveOptions {
  readonly namespace: string;
  /** Objects that are taken in any case: `Secret/token`, or `CustomResourceDefinition.apiextensions.k8s.io/x`. */
  readonly include: readonly string[];
}

export interface LiveSource {
  readonly sources: readonly SourceObject[];
  /** Each with its reason. */
  readonly leftOut: readonly Placement[];
  readonly findings: readonly AuthorFinding[];
}

/** @throws ReasonedError InputInvalid if `include` names no object, or every Deployment has an owner; never worth a retry */
export function takeLive({ inside, outside }: LiveObjects, { namespace, include }: LiveOptions): LiveSource {
  const isIncluded = (object: KubeObject): boolean => nameOf(object).some((name) => include.includes(name));
  refuseUnknown([...inside, ...outside], include);
  const judged = inside.map((object) => ({ object, because: isIncluded(object) ? undefined : reasonToLeave(object) }));
  const taken = judged.filter(({ because }) => because === undefined).map(({ object }) => object);
  refuseOwned(inside, taken);
  const others = new OutsideObjects(namespace, taken, outside).split(isIncluded);
  const all = [...taken, ...others.taken].toSorted(compareLive);
  return {
    sources: all.map((object) => ({ object: withoutServerFields(object), place: PLACE })),
    leftOut: [...judged, ...others.left]
      .flatMap(({ object, because }) => (because === undefined ? [] : [{ object, because }]))
      .toSorted((one, other) => compareLive(one.object, other.object))
      .map(({ object, because }) => ({
        object: describeRef(refOf(object)),
        source: PLACE,
        places: [],
        notes: [because],
      })),
    findings: findingsAbout(all, inside),
  };
}

const PLACE = 'the cluster';

/** As an option names it: by kind, and by kind and name. */
function nameOf(object: KubeObject): readonly string[] {
  return [groupKind(object), `${groupKind(object)}/${object.metadata.name}`];
}

function refuseUnknown(objects: readonly KubeObject[], include: readonly string[]): void {
  const known = new Set(objects.flatMap(nameOf));
  const unknown = include.find((name) => !known.has(name));
  if (unknown === undefined) return;
  throw invalidInput(
    `the cluster has no object ${JSON.stringify(unknown)} to include`,
    'Name a kind with its group and a name, as in Secret/token or CustomResourceDefinition.apiextensions.k8s.io/kettles.example',
  );
}

const DEPLOYMENT = 'Deployment.apps';

/** An operator that was installed from a bundle has one already. */
function refuseOwned(inside: readonly KubeObject[], taken: readonly KubeObject[]): void {
  if (taken.some((object) => groupKind(object) === DEPLOYMENT)) return;
  const owned = inside.find((object) => groupKind(object) === DEPLOYMENT);
  const [owner] = owned?.metadata.ownerReferences ?? [];
  if (owned === undefined || owner === undefined) return;
  throw invalidInput(
    `every Deployment of the namespace has an owner: ${owned.metadata.name} belongs to ${owner.kind} ${owner.name}`,
    'Make the bundle of the objects that the owner is made from; a ClusterServiceVersion was made from a bundle: slipway bundle pull',
  );
}

function findingsAbout(taken: readonly KubeObject[], inside: readonly KubeObject[]): readonly AuthorFinding[] {
  const isTaken = (name: string): boolean =>
    taken.some((one) => groupKind(one) === 'Secret' && one.metadata.name === name);
  const secrets = inside.filter((object) => groupKind(object) === 'Secret');
  const needed = secretsNeededBy(taken.filter((object) => groupKind(object) === DEPLOYMENT));
  return [
    ...secrets
      .filter(({ metadata: { name } }) => isTaken(name))
      .map((secret) => finding('copied-secret', secret, [
        'its values are in the bundle, where everyone reads them who can pull it',
        'Leave it out, and have the operator or a person create it in each cluster',
      ])), // prettier-ignore
    ...secrets
      .filter(({ metadata: { name } }) => !isTaken(name) && needed.has(name))
      .map((secret) => finding('needed-secret', secret, [
        `it is left out, and Pods of the Deployment ${needed.get(secret.metadata.name)} need it`,
        'Have the operator or a person create it; certificates of webhooks are issued by the installation',
      ])), // prettier-ignore
  ];
}

function finding(
  check: AuthorFinding['check'],
  object: KubeObject,
  [message, advice]: readonly [string, string],
): AuthorFinding {
  return { level: 'warning', check, object: describeRef(refOf(object)), message, advice };
}

/** The same order at every run. */
function compareLive(one: KubeObject, other: KubeObject): number {
  const key = (object: KubeObject): string =>
    [groupKind(object), object.metadata.namespace ?? '', object.metadata.name].join(' ');
  return key(one) < key(other) ? -1 : 1;
}
