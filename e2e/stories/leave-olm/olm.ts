/** Installs operators by OLM v0, and finds what OLM has marked. */
import { componentLabel } from '../../../adoption/olm-v0/kinds.ts';
import { LABEL } from '../../../api/names.ts';
import { describeRef, refOf } from '../../../api/object.ts';
import { fieldsOf, type Fields } from '../../../api/untyped.ts';
import type { Client } from '../../../kube/client/client.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { until } from '../../lib/until.ts';
import { isCarriedOut } from './carried-out.ts';

const OLM = '/apis/operators.coreos.com';

interface Name {
  readonly namespace: string;
  readonly name: string;
}

/** Of the Pods. OLM keeps it in its Subscription alone: the ClusterServiceVersion has nothing of it. */
const CONFIG = {
  env: [{ name: 'WATCHED_BY', value: 'a person' }],
  volumes: [{ name: 'scratch', emptyDir: {} }],
  volumeMounts: [{ name: 'scratch', mountPath: '/var/scratch' }],
  annotations: { 'example.com/team': 'lights' },
};

interface InstallOptions {
  readonly isConfigured?: boolean;
}

/** A Subscription of OLM to the package of its name, and the OperatorGroup of its namespace unless there is one. */
export async function installByOlm(
  cluster: TestCluster,
  { namespace, name }: Name,
  group: object | undefined,
  { isConfigured = false }: InstallOptions = {},
): Promise<void> {
  if (group !== undefined)
    await cluster.request('POST', `${OLM}/v1/namespaces/${namespace}/operatorgroups`, {
      apiVersion: 'operators.coreos.com/v1',
      kind: 'OperatorGroup',
      metadata: { name: 'all' },
      spec: group,
    });
  await cluster.request('POST', `${OLM}/v1alpha1/namespaces/${namespace}/subscriptions`, {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: { name },
    spec: {
      name,
      channel: 'stable',
      source: 'tested',
      sourceNamespace: 'olm',
      ...(isConfigured && { config: CONFIG }),
    },
  });
}

/** Waits until OLM has installed version 1.0.0, says so in its Subscription, and has nothing left to write. */
export async function hasSucceeded(cluster: TestCluster, { namespace, name }: Name): Promise<void> {
  const read = (path: string): Promise<Fields> => cluster.read(`${OLM}/v1alpha1/namespaces/${namespace}/${path}`);
  const isInstalled = async (): Promise<boolean> => {
    const { status } = await read(`subscriptions/${name}`);
    if (fieldsOf(status)['installedCSV'] !== `${name}.v1.0.0`) return false;
    const csv = await read(`clusterserviceversions/${name}.v1.0.0`);
    // The phase is read last: OLM installs a version again whose conversion was off.
    return (
      (await isCarriedOut(cluster, { namespace, csv })) &&
      fieldsOf((await read(`clusterserviceversions/${name}.v1.0.0`))['status'])['phase'] === 'Succeeded' &&
      (await isRolledOut(cluster, namespace))
    );
  };
  await until(`OLM has installed ${name}`, () => isInstalled().catch(() => false), { timeoutSeconds: 240 });
}

interface DeploymentList {
  readonly items: readonly {
    readonly spec: { readonly replicas: number };
    readonly status: { readonly replicas?: number; readonly updatedReplicas?: number };
  }[];
}

interface PodList {
  readonly items: readonly { readonly metadata: { readonly deletionTimestamp?: string } }[];
}

/** OLM creates the Pods before it knows the configuration of the Subscription, and replaces them when it does. */
export async function isRolledOut(cluster: Pick<TestCluster, 'read'>, namespace: string): Promise<boolean> {
  const read = (path: string): Promise<unknown> => cluster.read(path.replace('NAMESPACE', namespace));
  const deployments = (await read('/apis/apps/v1/namespaces/NAMESPACE/deployments')) as DeploymentList;
  const pods = (await read('/api/v1/namespaces/NAMESPACE/pods')) as PodList;
  const isWhole = ({ spec, status }: DeploymentList['items'][number]): boolean =>
    [status.replicas, status.updatedReplicas].every((count = 0) => count === spec.replicas);
  return (
    deployments.items.every(isWhole) && pods.items.every(({ metadata }) => metadata.deletionTimestamp === undefined)
  );
}

/** OLM writes its annotations again, and judges the version and everything of the namespace. */
export async function stirOlm(
  cluster: TestCluster,
  { namespace, group, csv }: { readonly namespace: string; readonly group: string; readonly csv: string },
  mark: string,
): Promise<void> {
  const touched = { metadata: { labels: { 'example.com/stirred': mark } } };
  await cluster.request('PATCH', `${OLM}/v1/namespaces/${namespace}/operatorgroups/${group}`, touched);
  await cluster
    .request('PATCH', `${OLM}/v1alpha1/namespaces/${namespace}/clusterserviceversions/${csv}`, touched)
    .catch(() => undefined); // it is gone for a while
}

const KINDS = [
  { apiVersion: 'v1', kind: 'ServiceAccount' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'Secret' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  ...['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
  })),
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  ...['Subscription', 'ClusterServiceVersion', 'InstallPlan'].map((kind) => ({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind,
  })),
];

/** The objects that OLM counts as those of a package. */
export async function marksOfOlm(client: Client, packageName: string, namespace: string): Promise<readonly string[]> {
  const labelSelector = componentLabel(packageName, namespace);
  const lists = await Promise.all(KINDS.map((kind) => client.list(kind, { labelSelector })));
  return lists.flat().map((object) => describeRef(refOf(object)));
}

/** The objects that name a Subscription of Slipway as their owner; those of its own installation left out. */
export async function marksOfSlipway(client: Client): Promise<readonly string[]> {
  const lists = await Promise.all(KINDS.map((kind) => client.list(kind, { labelSelector: LABEL.owner })));
  return lists.flat().map((object) => describeRef(refOf(object)));
}
