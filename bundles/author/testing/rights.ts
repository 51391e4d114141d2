/** All rights that a set of objects gives, as atoms that can be compared as sets. */
import type { KubeObject } from '../../../api/object.ts';

interface Rule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Role extends KubeObject {
  readonly rules?: readonly Rule[];
}

interface Binding extends KubeObject {
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
  readonly roleRef: { readonly kind: string; readonly name: string };
}

/** `ServiceAccount ops/manager may get pods of "" in ops`, for every account, verb and resource. */
export function rightsOf(objects: readonly KubeObject[]): ReadonlySet<string> {
  const roles = objects.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole') as readonly Role[];
  const bindings = objects.filter(
    ({ kind }) => kind === 'RoleBinding' || kind === 'ClusterRoleBinding',
  ) as unknown as readonly Binding[];
  return new Set(bindings.flatMap((binding) => rightsBy(binding, roles)));
}

function rightsBy(binding: Binding, roles: readonly Role[]): readonly string[] {
  const { roleRef, subjects = [], kind, metadata } = binding;
  const role = roles.find(
    (one) =>
      one.kind === roleRef.kind &&
      one.metadata.name === roleRef.name &&
      (one.kind === 'ClusterRole' || one.metadata.namespace === metadata.namespace),
  );
  const where = kind === 'ClusterRoleBinding' ? 'the cluster' : metadata.namespace;
  return subjects.flatMap((subject) => {
    const name = `${subject.kind} ${subject.namespace ?? metadata.namespace ?? ''}/${subject.name}`;
    return (role?.rules ?? []).flatMap(atomsOf).map((atom) => `${name} may ${atom} in ${where}`);
  });
}

function atomsOf({
  verbs = [],
  apiGroups = [],
  resources = [],
  resourceNames = [''],
  nonResourceURLs = [],
}: Rule): readonly string[] {
  return verbs.flatMap((verb) => [
    ...nonResourceURLs.map((url) => `${verb} ${url}`),
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) => resourceNames.map((name) => `${verb} ${resource} ${name} of "${group}"`)),
    ),
  ]);
}
