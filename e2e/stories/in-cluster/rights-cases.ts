/** For each rule of the manager's rights, a package that cannot be installed without it. */

/** An operator of one Deployment, and the other objects of its bundle. */
export interface Package {
  readonly name: string;
  /** Further objects of the bundle. */
  readonly manifests?: readonly object[];
  /** Further fields of the CSV's spec. */
  readonly csv?: object;
  /** Further fields of the spec of a Subscription in that namespace. */
  readonly subscription?: (namespace: string) => object;
  /** Name of another Subscription in the namespace, to a package that no Catalog has. */
  readonly occupied?: string;
  /** False if no webhook answers for it here, or if the case makes it fail. */
  readonly becomesReady?: boolean;
  /** Labels of its Pods. */
  readonly podLabels?: Readonly<Record<string, string>>;
  readonly dependencies?: readonly object[];
}

const MONITORING = 'monitoring.coreos.com/v1';
const CONSOLE = 'console.openshift.io/v1';
const RBAC = 'rbac.authorization.k8s.io/v1';
/** Rights that the manager does not have itself. */
const RULES = [{ apiGroups: ['example.slipway.dev'], resources: ['beacons'], verbs: ['update'] }];

/** Kinds that other products bring: served by CRDs that take anything. */
export const FOREIGN: readonly {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope?: string;
}[] = [
  { apiVersion: MONITORING, kind: 'PodMonitor', plural: 'podmonitors' },
  { apiVersion: MONITORING, kind: 'PrometheusRule', plural: 'prometheusrules' },
  { apiVersion: MONITORING, kind: 'ServiceMonitor', plural: 'servicemonitors' },
  { apiVersion: 'autoscaling.k8s.io/v1', kind: 'VerticalPodAutoscaler', plural: 'verticalpodautoscalers' },
  { apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion', plural: 'clusterversions', scope: 'Cluster' },
  { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', plural: 'certificates' },
  { apiVersion: 'cert-manager.io/v1', kind: 'Issuer', plural: 'issuers' },
  { apiVersion: 'operators.coreos.com/v2', kind: 'OperatorCondition', plural: 'operatorconditions' },
  ...['ConsoleCLIDownload', 'ConsoleLink', 'ConsolePlugin', 'ConsoleQuickStart', 'ConsoleYAMLSample'].map((kind) => ({
    apiVersion: CONSOLE,
    kind,
    plural: `${kind.toLowerCase()}s`,
    scope: 'Cluster',
  })),
];

const CORE = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'plain' }, data: {} },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'plain' }, data: {} },
  { apiVersion: 'v1', kind: 'Service', metadata: { name: 'plain' }, spec: { ports: [{ port: 80 }] } },
];

function objects(apiVersion: string, kinds: readonly string[], prefix = 'plain'): readonly object[] {
  return kinds.map((kind) => ({ apiVersion, kind, metadata: { name: `${prefix}-${kind.toLowerCase()}` }, spec: {} }));
}

/** Depends on a package, and where its Subscription would be another one is: that is tried again and again. */
function withNeed(): Omit<Package, 'name'> {
  return {
    dependencies: [{ type: 'olm.package.required', value: { packageName: 'needed', versionRange: '>=1.0.0' } }],
    occupied: 'needed',
  };
}

function withCrd(name: string): Omit<Package, 'name'> {
  const group = `${name}.example`;
  const owned = [{ name: `things.${group}`, version: 'v1', kind: 'Thing' }];
  return { manifests: [crd(group)], csv: { customresourcedefinitions: { owned } } };
}

function withApiService(name: string): Omit<Package, 'name'> {
  const owned = {
    group: `${name}.example`,
    version: 'v1',
    kind: 'Thing',
    name: 'things',
    deploymentName: name,
    containerPort: 9443,
  };
  return {
    csv: { apiservicedefinitions: { owned: [owned] } },
    subscription: () => ({ certificates: 'Manager' }),
  };
}

function crd(group: string): object {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

function webhooks(name: string): object {
  return {
    webhookdefinitions: ['ValidatingAdmissionWebhook', 'MutatingAdmissionWebhook'].map((type) => ({
      type,
      admissionReviewVersions: ['v1'],
      containerPort: 9443,
      deploymentName: name,
      failurePolicy: 'Ignore',
      generateName: `${type.toLowerCase()}.${name}.example`,
      rules: [{ apiGroups: ['nobody.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] }],
      sideEffects: 'None',
      webhookPath: '/validate',
    })),
  };
}

/** What a package has besides its Deployment; every name in it depends on that of the package. */
interface Case {
  readonly name: string;
  readonly isReady?: false;
  readonly holds?: (name: string) => Omit<Package, 'name'>;
}

/** The first resource of a rule, with its group → the package that needs that rule. */
const CASES: ReadonlyMap<string, Case> = new Map<string, Case>([
  ['*/*', { name: 'any', holds: withCrd }],
  ['slipway.dev/catalogs', { name: 'asked' }],
  ['slipway.dev/registrypolicies', { name: 'policed' }],
  ['slipway.dev/subscriptions', { name: 'needy', isReady: false, holds: withNeed }],
  ['slipway.dev/revisions', { name: 'kept' }],
  ['slipway.dev/catalogs/status', { name: 'told' }],
  ['/namespaces', { name: 'fenced' }],
  ['events.k8s.io/events', { name: 'eventful', isReady: false, holds: withNeed }],
  [
    '/serviceaccounts#impersonate',
    { name: 'tenant', isReady: false, holds: () => ({ subscription: () => ({ serviceAccountName: 'tenant' }) }) },
  ],
  [
    'config.openshift.io/clusterversions',
    { name: 'shifted', holds: () => ({ dependencies: [{ type: 'olm.maxOpenShiftVersion', value: '4.99' }] }) },
  ],
  ['/configmaps', { name: 'core', holds: () => ({ manifests: CORE }) }],
  ['apps/deployments', { name: 'working' }],
  [
    'policy/poddisruptionbudgets',
    { name: 'budget', holds: () => ({ manifests: objects('policy/v1', ['PodDisruptionBudget']) }) },
  ],
  [
    'scheduling.k8s.io/priorityclasses',
    {
      name: 'urgent',
      holds: (name) => ({
        manifests: [{ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value: 10 }],
      }),
    },
  ],
  [
    'networking.k8s.io/networkpolicies',
    {
      name: 'walled',
      holds: (name) => ({
        manifests: [
          {
            apiVersion: 'networking.k8s.io/v1',
            kind: 'NetworkPolicy',
            metadata: { name },
            spec: { podSelector: {} },
          },
        ],
      }),
    },
  ],
  ['apiextensions.k8s.io/customresourcedefinitions', { name: 'kinds', holds: withCrd }],
  ['apiregistration.k8s.io/apiservices', { name: 'served', isReady: false, holds: withApiService }],
  [
    'admissionregistration.k8s.io/validatingwebhookconfigurations',
    {
      name: 'hooked',
      holds: (name) => ({ csv: webhooks(name), subscription: () => ({ certificates: 'Manager' }) }),
    },
  ],
  [
    'cert-manager.io/certificates',
    {
      name: 'certified',
      isReady: false,
      holds: (name) => ({ csv: webhooks(name), subscription: () => ({ certificates: 'CertManager' }) }),
    },
  ],
  [
    'monitoring.coreos.com/podmonitors',
    {
      name: 'watched',
      holds: () => ({ manifests: objects(MONITORING, ['PodMonitor', 'PrometheusRule', 'ServiceMonitor']) }),
    },
  ],
  [
    'autoscaling.k8s.io/verticalpodautoscalers',
    { name: 'scaled', holds: () => ({ manifests: objects('autoscaling.k8s.io/v1', ['VerticalPodAutoscaler']) }) },
  ],
  [
    'console.openshift.io/consoleclidownloads',
    {
      name: 'shown',
      holds: (name) => ({
        manifests: objects(
          CONSOLE,
          FOREIGN.filter(({ apiVersion }) => apiVersion === CONSOLE).map(({ kind }) => kind),
          name,
        ),
      }),
    },
  ],
  [
    'operators.coreos.com/operatorconditions',
    { name: 'holding', holds: () => ({ subscription: () => ({ operatorCondition: 'Always' }) }) },
  ],
  // In one namespace, where its rights are Roles.
  [
    'rbac.authorization.k8s.io/roles',
    {
      name: 'granting',
      holds: (name) => ({
        manifests: [
          { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name: `${name}-plain` }, rules: RULES },
          { apiVersion: RBAC, kind: 'Role', metadata: { name: `${name}-plain` }, rules: RULES },
        ],
        subscription: (namespace) => ({ watchNamespaces: [namespace] }),
      }),
    },
  ],
  [
    'rbac.authorization.k8s.io/rolebindings',
    {
      name: 'binding',
      holds: (name) => ({
        manifests: ['RoleBinding', 'ClusterRoleBinding'].map((kind) => ({
          apiVersion: RBAC,
          kind,
          metadata: { name: `${name}-plain` },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
          subjects: [],
        })),
      }),
    },
  ],
  [
    '/pods/log',
    {
      name: 'crashing',
      isReady: false,
      holds: () => ({
        podLabels: { 'slipway.dev/test-pod': 'crash' },
        subscription: () => ({ onFailure: { progressDeadline: '30s' } }),
      }),
    },
  ],
]);

/** The package that needs a rule, under a name of one's own. */
export function packageFor(key: string, name?: string): Package {
  const known = CASES.get(key);
  if (known === undefined) throw new Error(`no package needs the rule for ${key}`);
  const chosen = name ?? known.name;
  return { name: chosen, becomesReady: known.isReady ?? true, ...known.holds?.(chosen) };
}

/** The first resource of a rule, with its group → the package. */
export const PACKAGES: ReadonlyMap<string, Package> = new Map([...CASES.keys()].map((key) => [key, packageFor(key)]));

/** Packages that others depend on. */
export const NEEDED: readonly Package[] = [{ name: 'needed' }];

/** The CSV of a package. */
export function csvOf({ name, csv, podLabels }: Package): object {
  const labels = { app: name, ...podLabels };
  const container = { name: 'operator', image: `registry.example/${name}:v1` };
  const template = { metadata: { labels }, spec: { serviceAccountName: name, containers: [container] } };
  const deployment = { name, spec: { replicas: 1, selector: { matchLabels: { app: name } }, template } };
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: `${name}.v1.0.0` },
    spec: {
      version: '1.0.0',
      installModes: ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map((type) => ({
        type,
        supported: true,
      })),
      install: {
        strategy: 'deployment',
        spec: {
          deployments: [deployment],
          permissions: [{ serviceAccountName: name, rules: RULES }],
          clusterPermissions: [{ serviceAccountName: name, rules: RULES }],
        },
      },
      ...csv,
    },
  };
}
