/** Sorts the objects of a change: created, changed, replaced, deleted, kept, unchanged. Pure. */
import { identityOf } from '../apply/identity.ts';
import { compareObjects } from '../apply/phases.ts';
import { hashObject } from '../apply/prepare.ts';
import { isCrd } from '../api/crd-kind.ts';
import { refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { diffFields } from './fields.ts';
import { immutableChanges } from './immutable.ts';
import type { PlanClusterFacts, PlanInput } from './input.ts';
import type { ChangedObject, KeptObject, ObjectChanges } from './model.ts';

/** An object on both sides whose manifest differs. */
export interface ObjectPair {
  readonly before: KubeObject;
  readonly after: KubeObject;
}

/** The same as objects, for the parts of a plan that are made from them. */
export interface ComparedObjects {
  readonly created: readonly KubeObject[];
  readonly changed: readonly ObjectPair[];
  readonly deleted: readonly KubeObject[];
  readonly unchanged: readonly KubeObject[];
}

/** Compares two sets of prepared objects by identity and hash; each list is sorted. */
export function compareSets(before: readonly KubeObject[], after: readonly KubeObject[]): ComparedObjects {
  const [old, next] = [indexed(before), indexed(after)];
  const both = [...next].flatMap(([identity, object]) => {
    const found = old.get(identity);
    return found === undefined ? [] : [{ before: found, after: object }];
  });
  const isEqual = (pair: ObjectPair): boolean => hashObject(pair.before) === hashObject(pair.after);
  return {
    created: sorted([...next].filter(([identity]) => !old.has(identity)).map(([, object]) => object)),
    changed: both.filter((pair) => !isEqual(pair)).toSorted((a, b) => compareObjects(a.after, b.after)),
    deleted: sorted([...old].filter(([identity]) => !next.has(identity)).map(([, object]) => object)),
    unchanged: sorted(both.filter(isEqual).map((pair) => pair.after)),
  };
}

function indexed(objects: readonly KubeObject[]): ReadonlyMap<string, KubeObject> {
  return new Map(objects.map((object) => [identityOf(refOf(object)), object]));
}

function sorted(objects: readonly KubeObject[]): readonly KubeObject[] {
  return objects.toSorted(compareObjects);
}

/** The changes of objects as the plan lists them. */
export function describeObjects(compared: ComparedObjects, input: PlanInput): ObjectChanges {
  const kept = keptObjects(compared.deleted, input);
  const stays = new Set(kept.map(({ ref }) => identityOf(ref)));
  return {
    created: compared.created.map(refOf),
    changed: compared.changed.filter((pair) => !isReplaced(pair)).map(describePair),
    replaced: compared.changed.filter(isReplaced).map(describePair),
    deleted: compared.deleted.map(refOf).filter((ref) => !stays.has(identityOf(ref))),
    kept,
    unchanged: compared.unchanged.map(refOf),
  };
}

function isReplaced({ before, after }: ObjectPair): boolean {
  return immutableChanges(before, after).length > 0;
}

function describePair({ before, after }: ObjectPair): ChangedObject {
  return { ref: refOf(after), ...diffFields(before, after) };
}

/**
 * The objects that are not wanted and stay: a CRD that has custom resources, unless an uninstall deletes them; every
 * object, while custom resources block an uninstall; and those that the facts name.
 */
function keptObjects(
  deleted: readonly KubeObject[],
  { to, customResources: policy, facts = {} }: PlanInput,
): readonly KeptObject[] {
  const isUninstall = to === undefined;
  const used = deleted.filter((object) => countOf(object, facts) > 0);
  const stays = new Set(isUninstall && policy === 'Delete' ? [] : used);
  const isBlocked = isUninstall && policy === 'Block' && used.length > 0;
  const named = new Map((facts.kept ?? []).map((one) => [identityOf(one.ref), one.message]));
  return deleted.flatMap((object): readonly KeptObject[] => {
    const ref: ObjectRef = refOf(object);
    const message = named.get(identityOf(ref));
    if (message !== undefined) return [{ ref, message }];
    if (stays.has(object)) return [{ ref, message: describeUsed(countOf(object, facts)) }];
    return isBlocked ? [{ ref, message: 'stays until the custom resources are deleted' }] : [];
  });
}

function countOf(object: KubeObject, { customResources }: PlanClusterFacts): number {
  return isCrd(object) ? (customResources?.get(object.metadata.name) ?? 0) : 0;
}

function describeUsed(count: number): string {
  return `stays, as it has ${count} custom ${count === 1 ? 'resource' : 'resources'}`;
}
