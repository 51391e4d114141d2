/** Finds the objects that belonged to an operator alone, after it was uninstalled. */
import { componentLabel } from '../../../adoption/olm-v0/kinds.ts';
import { describeRef, refOf, type Kind, type KubeObject } from '../../../api/object.ts';
import { fieldsOf, listOf } from '../../../api/untyped.ts';
import type { Client } from '../../../kube/client/client.ts';
import { SYSTEM } from '../../lib/manager.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';
const RIGHTS: readonly Kind[] = ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => ({ apiVersion: RBAC, kind })); // prettier-ignore
const OF_OLM = 'operators.coreos.com';
const OTHERS: readonly Kind[] = [
  ...['Deployment', 'ReplicaSet'].map((kind) => ({ apiVersion: 'apps/v1', kind })),
  ...['Subscription', 'ClusterServiceVersion', 'InstallPlan'].map((kind) => ({
    apiVersion: `${OF_OLM}/v1alpha1`,
    kind,
  })),
  { apiVersion: `${OF_OLM}/v2`, kind: 'OperatorCondition' },
  { apiVersion: 'v1', kind: 'Service' },
];

interface Uninstalled {
  readonly namespace: string;
  /** Begins the names of its objects. */
  readonly prefix: string;
  readonly package: string;
}

/** The rights in any namespace that name an account of the operator's namespace, or that have its name; those of the system left out. */
export async function rightsOf(client: Client, { namespace, prefix }: Uninstalled): Promise<readonly KubeObject[]> {
  const lists = await Promise.all(RIGHTS.map((kind) => client.list(kind)));
  const binds = (object: KubeObject): boolean =>
    listOf(object['subjects']).some(
      (one) => fieldsOf(one)['kind'] === 'ServiceAccount' && one['namespace'] === namespace,
    );
  return lists.flat().filter((one) => one.metadata.namespace === namespace || one.metadata.name.startsWith(prefix) || binds(one)); // prettier-ignore
}

/** Each object by its name; none if the uninstall left nothing of OLM. */
export async function leftOf(client: Client, uninstalled: Uninstalled): Promise<readonly string[]> {
  const { namespace, package: packageName } = uninstalled;
  const [rights, ...others] = await Promise.all([
    rightsOf(client, uninstalled),
    ...OTHERS.map((kind) => client.list(kind, { namespace })),
    client.list(
      { apiVersion: `${OF_OLM}/v1`, kind: 'Operator' },
      { labelSelector: componentLabel(packageName, namespace) },
    ),
    client.list({ apiVersion: 'v1', kind: 'Secret' }, { namespace: SYSTEM, labelSelector: 'slipway.dev/adoption' }),
  ]);
  const isOfOther = (one: KubeObject): boolean =>
    one.kind === 'Secret' && !one.metadata.name.includes(`.${namespace}.`);
  return [...rights, ...others.flat()].filter((one) => !isOfOther(one)).map((object) => describeRef(refOf(object)));
}
