/** For each rule of the manager's rights, a package that nobody can install without it. */

/** An operator of one Deployment, and what else its bundle holds. */
export interface Package {
  readonly name: string;
  /** Further objects of the bundle. */
  readonly manifests?: readonly object[];
  /** Further fields of the CSV's spec. */
  readonly csv?: object;
  /** Further fields of the Subscription's spec. */
  readonly subscription?: object;
  /** Labels of its Pods. */
  readonly podLabels?: Readonly<Record<string, string>>;
  readonly dependencies?: readonly object[];
}

const MONITORING = 'monitoring.coreos.com/v1';
const CONSOLE = 'console.openshift.io/v1';
const RBAC = 'rbac.authorization.k8s.io/v1';
const RULES = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }];

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
  { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', plural: 'certificates' },
  { apiVersion: 'cert-manager.io/v1', kind: 'Issuer', plural: 'issuers' },
  ...['ConsoleCLIDownload', 'ConsoleLink', 'ConsolePlugin', 'ConsoleQuickStart', 'ConsoleYAMLSample'].map((kind) => ({
    apiVersion: CONSOLE,
    kind,
    plural: `${kind.toLowerCase()}s`,
    scope: 'Cluster',
  })),
];

function objects(apiVersion: string, ...kinds: readonly string[]): readonly object[] {
  return kinds.map((kind) => ({ apiVersion, kind, metadata: { name: `plain-${kind.toLowerCase()}` }, spec: {} }));
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

function owned(group: string): object {
  return { owned: [{ name: `things.${group}`, version: 'v1', kind: 'Thing' }] };
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

/** The first resource of a rule, with its group → the package. */
export const PACKAGES: ReadonlyMap<string, Package> = new Map([
  ['*/*', { name: 'any', manifests: [crd('any.example')], csv: { customresourcedefinitions: owned('any.example') } }],
  ['slipway.dev/catalogs', { name: 'asked' }],
  [
    'slipway.dev/subscriptions',
    {
      name: 'needy',
      dependencies: [{ type: 'olm.package.required', value: { packageName: 'needed', versionRange: '>=1.0.0' } }],
    },
  ],
  ['slipway.dev/revisions', { name: 'kept' }],
  ['slipway.dev/catalogs/status', { name: 'told' }],
  ['events.k8s.io/events', { name: 'eventful' }],
  ['/serviceaccounts#impersonate', { name: 'tenant', subscription: { serviceAccountName: 'tenant' } }],
  [
    '/configmaps',
    {
      name: 'core',
      manifests: [
        ...['ConfigMap', 'Secret'].map((kind) => ({ apiVersion: 'v1', kind, metadata: { name: 'plain' }, data: {} })),
        { apiVersion: 'v1', kind: 'Service', metadata: { name: 'plain' }, spec: { ports: [{ port: 80 }] } },
      ],
    },
  ],
  ['apps/deployments', { name: 'working' }],
  ['policy/poddisruptionbudgets', { name: 'budget', manifests: objects('policy/v1', 'PodDisruptionBudget') }],
  [
    'scheduling.k8s.io/priorityclasses',
    {
      name: 'urgent',
      manifests: [
        { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'plain-urgent' }, value: 10 },
      ],
    },
  ],
  [
    'networking.k8s.io/networkpolicies',
    {
      name: 'walled',
      manifests: [
        {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'NetworkPolicy',
          metadata: { name: 'plain' },
          spec: { podSelector: {} },
        },
      ],
    },
  ],
  [
    'apiextensions.k8s.io/customresourcedefinitions',
    { name: 'kinds', manifests: [crd('kinds.example')], csv: { customresourcedefinitions: owned('kinds.example') } },
  ],
  [
    'apiregistration.k8s.io/apiservices',
    {
      name: 'served',
      subscription: { certificates: 'Manager' },
      csv: {
        apiservicedefinitions: {
          owned: [
            {
              group: 'served.example',
              version: 'v1',
              kind: 'Thing',
              name: 'things',
              deploymentName: 'served',
              containerPort: 9443,
            },
          ],
        },
      },
    },
  ],
  [
    'admissionregistration.k8s.io/validatingwebhookconfigurations',
    { name: 'hooked', subscription: { certificates: 'Manager' }, csv: webhooks('hooked') },
  ],
  [
    'cert-manager.io/certificates',
    { name: 'certified', subscription: { certificates: 'CertManager' }, csv: webhooks('certified') },
  ],
  [
    'monitoring.coreos.com/podmonitors',
    { name: 'watched', manifests: objects(MONITORING, 'PodMonitor', 'PrometheusRule', 'ServiceMonitor') },
  ],
  [
    'autoscaling.k8s.io/verticalpodautoscalers',
    {
      name: 'scaled',
      manifests: [
        {
          apiVersion: 'autoscaling.k8s.io/v1',
          kind: 'VerticalPodAutoscaler',
          metadata: { name: 'plain', namespace: 'default' },
          spec: {},
        },
      ],
    },
  ],
  [
    'console.openshift.io/consoleclidownloads',
    {
      name: 'shown',
      manifests: objects(
        CONSOLE,
        ...FOREIGN.filter(({ apiVersion }) => apiVersion === CONSOLE).map(({ kind }) => kind),
      ),
    },
  ],
  [
    'rbac.authorization.k8s.io/roles',
    {
      name: 'granting',
      manifests: [
        { apiVersion: RBAC, kind: 'Role', metadata: { name: 'plain' }, rules: RULES },
        { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name: 'plain-granting' }, rules: RULES },
      ],
    },
  ],
  [
    'rbac.authorization.k8s.io/rolebindings',
    {
      name: 'binding',
      manifests: [
        {
          apiVersion: RBAC,
          kind: 'RoleBinding',
          metadata: { name: 'plain' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
          subjects: [],
        },
        {
          apiVersion: RBAC,
          kind: 'ClusterRoleBinding',
          metadata: { name: 'plain-binding' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
          subjects: [],
        },
      ],
    },
  ],
  [
    '/pods/log',
    {
      name: 'crashing',
      podLabels: { 'slipway.dev/test-pod': 'crash' },
      subscription: { onFailure: { progressDeadline: '5s' } },
    },
  ],
]);

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
