/** The packages of the two Catalogs: those that the victims run, and those that a tenant picks for an attack. */
import type { TinyOperator } from '../../lib/tiny-operator.ts';

interface Package {
  readonly catalog: 'main' | 'private';
  readonly name: string;
  readonly versions: readonly Omit<TinyOperator, 'name'>[];
  /** By version. */
  readonly properties?: Readonly<Record<string, readonly { readonly type: string; readonly value: unknown }[]>>;
}

const [FIRST, SECOND] = ['1.0.0', '2.0.0'] as const;
const rbac = 'rbac.authorization.k8s.io';

function needs(packageName: string, versionRange: string): { readonly type: string; readonly value: object } {
  return { type: 'olm.package.required', value: { packageName, versionRange } };
}

/** A package of one version, with one manifest more than a Deployment. */
function grabbing(name: string, manifest: object): Package {
  return { catalog: 'main', name, versions: [{ version: FIRST, further: [manifest] }] };
}

/** More operators than reconciles that run at a time. */
export const CROWD: readonly string[] = Array.from({ length: 24 }, (_, index) => `crowd-${index}`);

export const BUNDLES: readonly Package[] = [
  {
    catalog: 'main',
    name: 'store',
    versions: [
      { version: FIRST, kind: 'Gadget' },
      { version: SECOND, kind: 'Gadget' },
    ],
    properties: { [FIRST]: [needs('lib', '>=1.0.0')], [SECOND]: [needs('lib', '>=1.0.0')] },
  },
  { catalog: 'main', name: 'lib', versions: [{ version: FIRST }, { version: SECOND }] },
  {
    catalog: 'main',
    name: 'astore',
    versions: [
      { version: FIRST, kind: 'Trinket' },
      { version: SECOND, kind: 'Trinket' },
    ],
  },
  { catalog: 'main', name: 'tool', versions: [{ version: FIRST }, { version: SECOND }] },
  { catalog: 'private', name: 'vault', versions: [{ version: FIRST }, { version: SECOND }] },
  { catalog: 'main', name: 'plain', versions: [{ version: FIRST }, { version: SECOND }] },
  ...CROWD.map((name): Package => ({ catalog: 'main', name, versions: [{ version: FIRST }] })),
  { catalog: 'main', name: 'own-kind', versions: [{ version: FIRST, kind: 'Bauble' }] },
  { catalog: 'main', name: 'same-kind', versions: [{ version: FIRST, kind: 'Gadget' }] },
  {
    catalog: 'main',
    name: 'pin',
    versions: [{ version: FIRST }],
    properties: { [FIRST]: [needs('store', '<1.5.0'), needs('lib', '<1.5.0'), needs('astore', '<1.5.0')] },
  },
  {
    catalog: 'main',
    name: 'impossible',
    versions: [{ version: FIRST }],
    properties: { [FIRST]: [needs('store', '>9.0.0')] },
  },
  { catalog: 'main', name: 'ring-a', versions: [{ version: FIRST }], properties: { [FIRST]: [needs('ring-b', '*')] } },
  { catalog: 'main', name: 'ring-b', versions: [{ version: FIRST }], properties: { [FIRST]: [needs('ring-a', '*')] } },
  {
    catalog: 'main',
    name: 'peeker',
    versions: [{ version: FIRST }],
    properties: { [FIRST]: [needs('vault', '>5.0.0')] },
  },
  grabbing('grab-binding', {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'grab' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'Group', apiGroup: rbac, name: 'team' }],
  }),
  grabbing('grab-aggregated', {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'grab', labels: { [`${rbac}/aggregate-to-edit`]: 'true' } },
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
  }),
  grabbing('grab-elsewhere', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'grab', namespace: 'platform' },
    data: { grabbed: 'yes' },
  }),
  grabbing('grab-crd', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'catalogs.slipway.dev' },
    spec: {
      group: 'slipway.dev',
      names: { kind: 'Catalog', listKind: 'CatalogList', plural: 'catalogs', singular: 'catalog' },
      scope: 'Cluster',
      versions: [{ name: 'v1alpha1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  }),
];
