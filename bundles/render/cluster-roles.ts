/**
 * A ClusterRole and ClusterRoleBinding for each cluster permission; when all namespaces are watched, for each
 * permission too, with the right to see namespaces added as OLM adds it.
 */
import type { KubeObject } from '../../api/object.ts';
import type { CsvPermission } from '../bundle.ts';
import { watchesAll, type RenderContext } from './options.ts';
import { binding, RBAC, roleName } from './roles.ts';

export function renderClusterRoles(context: RenderContext): readonly KubeObject[] {
  const { permissions = [], clusterPermissions = [] } = context.bundle.csv.spec.install.spec ?? {};
  const lifted = watchesAll(context) ? permissions.map(lift) : [];
  return [...clusterPermissions, ...lifted].flatMap((permission) => roleAndBinding(context, permission));
}

function lift({ serviceAccountName, rules }: CsvPermission): CsvPermission {
  const seeNamespaces = { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['namespaces'] };
  return { serviceAccountName, rules: [...(rules ?? []), seeNamespaces] };
}

function roleAndBinding(context: RenderContext, permission: CsvPermission): readonly KubeObject[] {
  const name = roleName(context, permission);
  const role = { kind: 'ClusterRole', name };
  return [
    { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name }, rules: permission.rules },
    { apiVersion: RBAC, kind: 'ClusterRoleBinding', metadata: { name }, ...binding(context, permission, role) },
  ];
}
