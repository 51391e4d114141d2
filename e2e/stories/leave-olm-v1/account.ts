/** The account of a tenant who adopts an operator of OLM v1, with the rights that the guide names and no other ones. */
import { collectInventory } from '../../../adoption/olm-v1/inventory.ts';
import { refOf, type KubeObject } from '../../../api/object.ts';
import { listOf } from '../../../api/untyped.ts';
import type { Client } from '../../../kube/client/client.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** Kinds of the cluster that a tiny operator has, with their resources. */
const OF_THE_CLUSTER = {
  CustomResourceDefinition: { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'] },
  ClusterRole: { apiGroups: [RBAC], resources: ['clusterroles'] },
  ClusterRoleBinding: { apiGroups: [RBAC], resources: ['clusterrolebindings'] },
} as const;

export interface TenantAccount {
  readonly name: string;
  /** Gives it the rights on the ClusterExtension and on the objects of the cluster, by their names, and those that they grant. */
  grant(): Promise<void>;
}

/** The rights that ClusterRoles grant: no account may write a role without holding its rights. */
async function rulesOf(client: Client, objects: readonly KubeObject[]): Promise<readonly object[]> {
  const roles = objects.filter(({ kind }) => kind === 'ClusterRole').map(refOf);
  const live = await Promise.all(roles.map((ref) => client.get(ref)));
  return live.flatMap((role) => listOf(role?.['rules']));
}

/** An account with all rights in its namespace. */
export async function accountFor(
  client: Client,
  { extension, namespace }: { readonly extension: string; readonly namespace: string },
): Promise<TenantAccount> {
  const name = 'installer';
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const bind = async (kind: 'Role' | 'ClusterRole', rules: readonly object[]): Promise<void> => {
    const metadata = { name, ...(kind === 'Role' && { namespace }) };
    const roleRef = { apiGroup: RBAC, kind, name };
    await client.create({ apiVersion: `${RBAC}/v1`, kind, metadata, rules });
    await client.create({ apiVersion: `${RBAC}/v1`, kind: `${kind}Binding`, metadata, roleRef, subjects });
  };
  await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
  await bind('Role', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]);
  return {
    name,
    grant: async () => {
      const objects = await collectInventory(client, extension, AbortSignal.timeout(10_000));
      const verbs = ['get', 'patch', 'delete'];
      const group = 'olm.operatorframework.io';
      await bind('ClusterRole', [
        { apiGroups: [group], resources: ['clusterextensions'], resourceNames: [extension], verbs },
        // A rule without names would be one for all.
        ...Object.entries(OF_THE_CLUSTER).flatMap(([kind, where]) =>
          objects
            .filter((one) => one.kind === kind)
            .map(({ metadata }) => ({ ...where, resourceNames: [metadata.name], verbs })),
        ),
        ...(await rulesOf(client, objects)),
      ]);
    },
  };
}
