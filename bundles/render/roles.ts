/**
 * A Role and RoleBinding for each permission in each watched namespace and in the operator's own; none when all namespaces
 * are watched.
 */
import type { KubeObject } from '../../api/object.ts';
import type { CsvPermission } from '../bundle.ts';
import { uniqueName } from './names.ts';
import { watchesAll, type RenderContext } from './options.ts';
import { accountName } from './service-accounts.ts';

export function renderRoles(context: RenderContext): readonly KubeObject[] {
  const permissions = context.bundle.csv.spec.install.spec?.permissions ?? [];
  // The name is a hash of the permission, and takes as long as the permission is large.
  const named = permissions.map((permission) => ({ permission, name: roleName(context, permission) }));
  return roleNamespaces(context).flatMap((place) => named.flatMap((role) => roleAndBinding(context, role, place)));
}

/** In its own namespace an operator elects its leader and reads its settings, whichever namespaces it watches. */
export function roleNamespaces(context: RenderContext): readonly string[] {
  return watchesAll(context) ? [] : [...new Set([...context.targets, context.options.namespace])];
}

function roleAndBinding(
  context: RenderContext,
  { permission, name }: { readonly permission: CsvPermission; readonly name: string },
  namespace: string,
): readonly KubeObject[] {
  const metadata = { name, namespace };
  return [
    { apiVersion: RBAC, kind: 'Role', metadata, rules: permission.rules },
    { apiVersion: RBAC, kind: 'RoleBinding', metadata, ...binding(context, permission, { kind: 'Role', name }) },
  ];
}

export const RBAC_GROUP = 'rbac.authorization.k8s.io';
export const RBAC = `${RBAC_GROUP}/v1`;

/** `<csv>-<service account>-<hash of the permission>`. */
export function roleName({ bundle }: RenderContext, permission: CsvPermission): string {
  return uniqueName(`${bundle.csv.name}-${accountName(permission)}`, permission);
}

/** The common part of bindings of a role to the permission's ServiceAccount. */
export function binding(
  { options }: RenderContext,
  permission: CsvPermission,
  role: { readonly kind: string; readonly name: string },
): Readonly<Record<string, unknown>> {
  return {
    subjects: [{ kind: 'ServiceAccount', name: accountName(permission), namespace: options.namespace }],
    roleRef: { apiGroup: RBAC_GROUP, ...role },
  };
}
