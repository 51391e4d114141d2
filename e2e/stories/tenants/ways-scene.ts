/**
 * A cluster with two tenants in `team-a` who attack, and those who must not notice: an administrator with operators in
 * `platform` and in `team-a` itself, and another tenant in `team-b`.
 */
import { API_VERSION } from '../../../api/names.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { SYSTEM } from '../../lib/manager.ts';
import { catalogOf, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog, type PackageVersion } from '../../lib/publish.ts';
import { publishTiny, type TinyOperator } from '../../lib/tiny-operator.ts';
import { apply, makeNamespaces } from '../../lib/writes.ts';
import type { Person } from '../in-cluster/persons.ts';
import { BUNDLES } from './ways-bundles.ts';
import { setTrust } from './ways-catalogs.ts';

export const [TEAM, PLATFORM, OTHER] = ['team-a', 'platform', 'team-b'] as const;

/** Both have the role `edit` in `team-a`: the first with the guide's rights, the second with every right on ours there. */
export const ATTACKERS: readonly Person[] = [
  { user: 'tina', groups: ['team'] },
  { user: 'theo', groups: ['tenants'] },
];

/** Takes effect in the tenant's namespace only. */
export const OWN = { serviceAccountName: 'installer', watchNamespaces: [TEAM] };
/** The same with an account that may write CRDs of the whole cluster. */
export const WITH_CRDS = { serviceAccountName: 'crd-installer', watchNamespaces: [TEAM] };
/** Selects the namespaces that may use the private Catalog. */
export const TIER = { tier: 'gold' };

/** The rights, the Catalogs, and all that the victims have; resolves when all of it is Ready. */
export async function setScene(cluster: TestCluster): Promise<void> {
  await makeNamespaces(cluster, [PLATFORM, TEAM, OTHER]);
  await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: PLATFORM, labels: TIER } });
  await giveRights(cluster);
  await publish(cluster);
  await setTrust(cluster);
  await subscribeVictims(cluster);
}

async function giveRights(cluster: TestCluster): Promise<void> {
  const all = ['subscriptions', 'revisions', 'subscriptions/status', 'revisions/status'];
  const ours = (resources: readonly string[], verbs: readonly string[]): object => ({
    apiGroups: ['slipway.dev'],
    resources,
    verbs,
  });
  const group = (name: string): object => ({ apiGroup: RBAC, kind: 'Group', name });
  const account = (name: string, namespace: string): object => ({ kind: 'ServiceAccount', name, namespace });
  const crds = { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: WRITE };
  const items = [
    ...[TEAM, OTHER].flatMap((namespace) => [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'installer', namespace } },
      ...bound('installs', namespace, INSTALLER_RULES, [account('installer', namespace)]),
    ]),
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'crd-installer', namespace: TEAM } },
    ...bound('installs-crds', TEAM, INSTALLER_RULES, [account('crd-installer', TEAM)]),
    ...bound('writes-crds', undefined, [crds], [account('crd-installer', TEAM)]),
    ...bound(
      'guide',
      TEAM,
      [ours(['subscriptions'], ['*']), ours(['revisions'], ['get', 'list', 'watch', 'patch'])],
      [group('team')],
    ),
    ...bound('everything', TEAM, [ours(all, ['*'])], [group('tenants')]),
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'edit', namespace: TEAM },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'edit' },
      subjects: [group('team'), group('tenants')],
    },
  ];
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}

const RBAC = 'rbac.authorization.k8s.io';
const WRITE = ['get', 'list', 'create', 'patch', 'delete'];

/** The guide's, of the namespace. */
const INSTALLER_RULES: readonly object[] = [
  { apiGroups: [''], resources: ['serviceaccounts', 'services', 'configmaps'], verbs: WRITE },
  { apiGroups: ['apps'], resources: ['deployments'], verbs: WRITE },
  { apiGroups: [RBAC], resources: ['roles', 'rolebindings'], verbs: WRITE },
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] },
];

/** A role with its binding; of the cluster without a namespace. */
function bound(
  name: string,
  namespace: string | undefined,
  rules: readonly object[],
  subjects: readonly object[],
): readonly object[] {
  const apiVersion = `${RBAC}/v1`;
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  const roleRef = { apiGroup: RBAC, kind, name };
  return [
    { apiVersion, kind, metadata, rules },
    { apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects },
  ];
}

/** `main` is for all; `private` has a pull secret, and is for namespaces with a label. */
async function publish(cluster: TestCluster): Promise<void> {
  const documents = await Promise.all(
    BUNDLES.map(async ({ catalog, name, versions, properties = {} }) => ({
      catalog,
      name,
      documents: packageDocuments(name, await pushAll(cluster.registry, { name, versions, properties })),
    })),
  );
  const contents: Readonly<Record<string, (one: (typeof documents)[number]) => boolean>> = {
    main: ({ catalog }) => catalog === 'main',
    private: ({ catalog }) => catalog === 'private',
    // One package, so that decisions about others cost as much as without it.
    trust: ({ name }) => name === 'plain',
  };
  for (const [name, isIn] of Object.entries(contents))
    await publishCatalog(
      documents.filter(isIn).flatMap((one) => one.documents),
      `${cluster.registry}/${name}:latest`,
    );
  await apply(cluster, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'private-login', namespace: SYSTEM },
    type: 'kubernetes.io/dockerconfigjson',
    stringData: { '.dockerconfigjson': JSON.stringify({ auths: { [cluster.registry]: { auth: 'dTpw' } } }) },
  });
  const ref = `${cluster.registry}/private:latest`;
  const closed = {
    apiVersion: API_VERSION,
    kind: 'Catalog',
    metadata: { name: 'private', labels: { 'example.com/audience': 'platform' } },
    spec: {
      source: { image: { ref } },
      pullSecret: { name: 'private-login' },
      allowedNamespaces: { matchLabels: TIER },
    },
  };
  await apply(cluster, catalogOf('main', `${cluster.registry}/main:latest`), closed);
  for (const name of ['main', 'private']) await waitFor(cluster, { kind: 'catalog', name }, isReady);
}

interface Package {
  readonly name: string;
  readonly versions: readonly Omit<TinyOperator, 'name'>[];
  readonly properties: Readonly<Record<string, readonly { readonly type: string; readonly value: unknown }[]>>;
}

async function pushAll(registry: string, { name, versions, properties }: Package): Promise<readonly PackageVersion[]> {
  return Promise.all(
    versions.map(async (one, at) => {
      const before = versions[at - 1]?.version;
      const own = properties[one.version];
      return {
        version: one.version,
        image: await publishTiny(registry, { name, ...one }),
        ...(before !== undefined && { replaces: before }),
        ...(own !== undefined && { properties: own }),
      };
    }),
  );
}

/** `platform/store` brings `platform/lib` with it. */
async function subscribeVictims(cluster: TestCluster): Promise<void> {
  const first = { version: '1.0.0', edges: 'Ignore', onFailure: { bakeTime: '0s' } };
  await apply(
    cluster,
    subscriptionTo('store', PLATFORM, { package: 'store', ...first }),
    subscriptionTo('vault', PLATFORM, { package: 'vault', catalog: 'private', ...first }),
    subscriptionTo('astore', TEAM, { package: 'astore', ...first }),
    subscriptionTo('tool', OTHER, { package: 'tool', ...OWN, watchNamespaces: [OTHER], ...first }),
  );
  for (const [name, namespace] of VICTIMS)
    await waitFor(cluster, { kind: 'subscription', name, namespace }, name === 'lib' ? isReady : runs('1.0.0'));
  const resource = (kind: string, namespace: string): object => ({
    apiVersion: 'tiny.example/v1',
    kind,
    metadata: { name: 'precious', namespace },
    spec: { color: 'red' },
  });
  const items = ['Gadget', 'Trinket'].flatMap((kind) => [PLATFORM, OTHER].map((at) => resource(kind, at)));
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}

/** Name and namespace of each Subscription that is not the attackers'. */
export const VICTIMS: readonly (readonly [string, string])[] = [
  ['store', PLATFORM],
  ['lib', PLATFORM],
  ['vault', PLATFORM],
  ['astore', TEAM],
  ['tool', OTHER],
];
