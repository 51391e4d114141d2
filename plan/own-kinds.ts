/**
 * The kinds that a bundle both defines by its CRDs and brings objects of, and the rights that the manager gives itself on
 * them. Pure; the roll-out and the plan of it read the same.
 */
import { compareText } from '../api/compare-text.ts';
import { kindsDefinedIn, phaseOf } from '../apply/phases.ts';
import { ownerLabel, type Owner } from '../apply/prepare.ts';
import type { ServedKinds } from '../apply/served-as.ts';
import { isCrd } from '../api/crd-kind.ts';
import { groupKind, type Kind, type KubeObject } from '../api/object.ts';
import { fieldsOf, textOf } from '../api/untyped.ts';
import { isRenderedKind } from '../bundles/render/rendered-kinds.ts';

/**
 * Whether the manager has no standing right on a kind: its rights cover exactly the kinds that every bundle may hold.
 */
export function isOwnKind(kind: Kind): boolean {
  return phaseOf(kind) === 'customResources' && !isRenderedKind(kind);
}

/** The kinds that the CRDs among the objects define and that custom resources among them have, with their paths. */
export function ownKindsIn(objects: readonly KubeObject[]): ServedKinds {
  const present = new Set(objects.filter(isOwnKind).map(groupKind));
  return new Map(
    objects.filter(isCrd).flatMap((crd) => {
      const [kind] = kindsDefinedIn([crd]);
      const { names, scope } = fieldsOf(crd['spec']);
      const plural = textOf(fieldsOf(names)['plural']);
      return kind !== undefined && present.has(kind) && plural !== ''
        ? [[kind, { plural, namespaced: scope !== 'Cluster' }] as const]
        : [];
    }),
  );
}

/** The verbs for a server-side apply, and for a watch of the result; the manager may list and delete everything. */
const VERBS = ['get', 'watch', 'create', 'patch'];

/** One rule for each group: `get`, `watch`, `create` and `patch` on exactly the kinds that the bundle brings. */
export function accessRules(objects: readonly KubeObject[]): readonly object[] {
  const resources = [...ownKindsIn(objects)].map(([kind, { plural }]) => ({
    group: kind.slice(kind.indexOf('.') + 1),
    plural,
  }));
  const byGroup = [...Map.groupBy(resources, ({ group }) => group)].sort(([a], [b]) => compareText(a, b));
  return byGroup.map(([group, members]) => ({
    apiGroups: [group],
    resources: members.map(({ plural }) => plural).sort(),
    verbs: VERBS,
  }));
}

/** The name of the ClusterRole with these rules, and of its binding. */
export function accessName(owner: Owner): string {
  return `slipway-own-kinds.${ownerLabel(owner)}`;
}
