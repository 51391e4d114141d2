/** Publishes the operators for OLM v0 and for Slipway, and has OLM install them. */
import type { TestCluster } from '../../cluster/cluster.ts';
import { catalogOf, isReady, waitFor } from '../../lib/objects.ts';
import { writeOlmCatalog } from '../../lib/olm-catalog.ts';
import { publishCatalog, publishFiles } from '../../lib/publish.ts';
import { until } from '../../lib/until.ts';
import { apply, makeNamespaces } from '../../lib/writes.ts';
import { isRolledOut } from '../leave-olm/olm.ts';
import type { Loaded } from './load.ts';
import { targetsOf } from './operators.ts';

const OLM = '/apis/operators.coreos.com';
/** Name of OLM's CatalogSource: a Catalog of that name is found by `adopt run --all`. */
export const CATALOG = 'tested';
/** Of many at once, with two processors. */
const INSTALLED_WITHIN_SECONDS = 600;

/** Name of OLM's Subscription: its own for a required operator, that of the package otherwise. */
export function subscriptionName({ package: name, channel, requiredBy }: Loaded): string {
  return requiredBy === undefined ? name : `${name}-${channel}-${CATALOG}-olm`;
}

/** Both catalogs, each with every version of every operator. */
export async function publishAll(cluster: TestCluster, operators: readonly Loaded[]): Promise<void> {
  writeOlmCatalog(
    cluster,
    operators.map(({ package: name, channel, bundles }) => ({ name, channel, bundles })),
  );
  await publishForSlipway(cluster, operators);
}

/** The Catalog. Resolves to the image, which OLM v1 reads as well. */
export async function publishForSlipway(cluster: TestCluster, operators: readonly Loaded[]): Promise<string> {
  const documents: object[] = [];
  for (const one of operators) documents.push(...(await publishPackage(cluster.registry, one)));
  const reference = `${cluster.registry}/corpus:latest`;
  await publishCatalog(documents, reference);
  await apply(cluster, catalogOf(CATALOG, reference));
  await waitFor(cluster, { kind: 'Catalog', name: CATALOG }, isReady);
  return reference;
}

async function publishPackage(
  registry: string,
  { package: name, channel, bundles }: Loaded,
): Promise<readonly object[]> {
  const published: object[] = [];
  for (const { name: bundle, version, files, properties = [] } of bundles) {
    const image = await publishFiles(files, `${registry}/${name}:v${version.replaceAll('+', '_')}`);
    const own = { type: 'olm.package', value: { packageName: name, version } };
    published.push({ schema: 'olm.bundle', package: name, name: bundle, image, properties: [own, ...properties] });
  }
  const entries = bundles.map((one, at) => ({ name: one.name, ...(at > 0 && { replaces: bundles[at - 1]!.name }) }));
  return [
    { schema: 'olm.package', name, defaultChannel: channel },
    { schema: 'olm.channel', package: name, name: channel, entries },
    ...published,
  ];
}

/** Resolves once OLM has installed all of them. */
export async function installAllByOlm(cluster: TestCluster, operators: readonly Loaded[]): Promise<void> {
  const namespaces = new Set(operators.flatMap((one) => [one.namespace, ...targetsOf(one)]));
  await makeNamespaces(cluster, [...namespaces]);
  const groups = new Map(operators.map((one) => [one.namespace, one]));
  for (const one of groups.values()) await createGroup(cluster, one);
  for (const one of operators) if (one.requiredBy === undefined) await subscribe(cluster, one);
  for (const one of operators) if (one.approval === 'Manual') await approveFirst(cluster, one);
  for (const one of operators) await isInstalled(cluster, one);
}

async function createGroup(cluster: TestCluster, one: Loaded): Promise<void> {
  const targetNamespaces = targetsOf(one);
  await cluster.request('POST', `${OLM}/v1/namespaces/${one.namespace}/operatorgroups`, {
    apiVersion: 'operators.coreos.com/v1',
    kind: 'OperatorGroup',
    metadata: { name: 'group' },
    spec: targetNamespaces.length === 0 ? {} : { targetNamespaces },
  });
}

async function subscribe(cluster: TestCluster, one: Loaded): Promise<void> {
  const { package: name, channel, approval, config, bundles } = one;
  await cluster.request('POST', `${OLM}/v1alpha1/namespaces/${one.namespace}/subscriptions`, {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: { name },
    spec: {
      name,
      channel,
      source: CATALOG,
      sourceNamespace: 'olm',
      startingCSV: bundles[0]?.name,
      ...(approval !== undefined && { installPlanApproval: approval }),
      ...(config !== undefined && { config }),
    },
  });
}

interface OlmStatus {
  readonly installedCSV?: string;
  readonly currentCSV?: string;
  readonly state?: string;
  readonly installPlanRef?: { readonly name: string };
}

async function statusOf(cluster: TestCluster, one: Loaded): Promise<OlmStatus> {
  const path = `${OLM}/v1alpha1/namespaces/${one.namespace}/subscriptions/${subscriptionName(one)}`;
  const { status = {} } = (await cluster.read(path)) as { readonly status?: OlmStatus };
  return status;
}

async function approveFirst(cluster: TestCluster, one: Loaded): Promise<void> {
  const plan = await until(
    `OLM plans ${one.package}`,
    async () => (await statusOf(cluster, one)).installPlanRef?.name,
    { timeoutSeconds: INSTALLED_WITHIN_SECONDS },
  );
  const path = `${OLM}/v1alpha1/namespaces/${one.namespace}/installplans/${plan}`;
  await cluster.request('PATCH', path, { spec: { approved: true } });
}

/** Resolves once OLM has installed the wanted version; the next one of a Manual one waits for approval. */
export async function isInstalled(cluster: TestCluster, one: Loaded): Promise<void> {
  const { name: first } = one.installed;
  const next = one.approval === 'Manual' ? one.bundles.at(-1)?.name : undefined;
  const path = `${OLM}/v1alpha1/namespaces/${one.namespace}/clusterserviceversions/${first}`;
  let last: unknown;
  const isSo = async (): Promise<boolean> => {
    const status = await statusOf(cluster, one);
    const csv = await cluster.read(path);
    last = { status, csv: csv['status'] };
    const { phase } = (csv['status'] ?? {}) as { readonly phase?: string };
    const ended = await isRolledOut(cluster, one.namespace);
    const isWaiting = next === undefined || (status.currentCSV === next && status.state === 'UpgradePending');
    return phase === 'Succeeded' && status.installedCSV === first && isWaiting && ended;
  };
  await until(`OLM has installed ${first}`, () => isSo().catch(() => false), {
    timeoutSeconds: INSTALLED_WITHIN_SECONDS,
    explain: () => JSON.stringify(last, undefined, 1).slice(0, 3000),
  });
}
