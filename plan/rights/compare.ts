/**
 * Compares the rights that two sets of objects give: which are gained and which are lost. A longer list of rules that
 * grants nothing new is no gain, and another role with the same rules is no change. Pure.
 */
import { isCrd } from '../../api/crd-kind.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import type { KubeObject } from '../../api/object.ts';
import { AtomSet, type Atom } from './atom.ts';
import { atomsOf, type PermittedRule } from './atoms-of.ts';

import type { OperatorRight } from './right.ts';
import type { KnownClusterRoles } from './roles.ts';
import { describeRights } from './words.ts';

export interface RightsComparison {
  readonly gained: readonly OperatorRight[];
  readonly lost: readonly OperatorRight[];
}

/**
 * @param known Rules of ClusterRoles that are not among the objects.
 * @param permitted Rules that count as if the operator had them before.
 */
export function compareRights(
  before: readonly KubeObject[],
  after: readonly KubeObject[],
  known: KnownClusterRoles = new Map(),
  permitted: readonly PermittedRule[] = [],
): RightsComparison {
  const [old, next] = [new AtomSet(atomsOf(before, known, permitted)), new AtomSet(atomsOf(after, known))];
  const own = ownGroups([...before, ...after]);
  return { gained: describeRights(beyond(next, old), own), lost: describeRights(beyond(old, next), own) };
}

/** The atoms of a set that another one does not cover, without those that are part of a wider one. */
function beyond(set: AtomSet, other: AtomSet): readonly Atom[] {
  return [...set.values()].filter((atom) => !other.covers(atom) && !set.coversByAnother(atom));
}

function ownGroups(objects: readonly KubeObject[]): ReadonlySet<string> {
  return new Set(objects.filter(isCrd).map((crd) => textOf(fieldsOf(crd['spec'])['group'])));
}
