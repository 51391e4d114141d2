/** Finds the objects that OLM v1 does not render for an operator that watches another namespace: its rights in its own. */
import type { KubeObject } from '../../api/object.ts';

export interface WatchedPlace {
  readonly installNamespace: string;
  readonly watchNamespace: string;
}

/** The Roles and RoleBindings in the operator's namespace that the watched one has too; docs/deviations.md has the reason. */
export function rightsAtHome(
  objects: readonly KubeObject[],
  { installNamespace, watchNamespace }: WatchedPlace,
): readonly KubeObject[] {
  if (watchNamespace === installNamespace) return [];
  const inNamespace = (namespace: string): readonly KubeObject[] =>
    objects.filter(({ kind, metadata }) => /^Role(?:Binding)?$/.test(kind) && metadata.namespace === namespace);
  const watched = new Set(inNamespace(watchNamespace).map(({ metadata }) => metadata.name));
  return inNamespace(installNamespace).filter(({ metadata }) => watched.has(metadata.name));
}
