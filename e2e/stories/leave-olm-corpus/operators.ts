/**
 * The operators of the corpus that OLM v0 installs and Slipway takes over, each for traits that the others lack. Pure.
 */
import type { Source } from '../../compatibility/packages.ts';

export type Mode = 'OwnNamespace' | 'SingleNamespace' | 'MultiNamespace' | 'AllNamespaces';

export interface Leaver {
  readonly source: Source | 'made';
  readonly package: string;
  readonly namespace: string;
  readonly mode: Mode;
  /** OLM subscribes to it by itself, since the operator of this package requires it. */
  readonly requiredBy?: string;
  /** A person approves: the version before the last one is installed, and the last one waits. */
  readonly approval?: 'Manual';
  /** OLM has upgraded it from the version before. */
  readonly isUpgraded?: true;
  /** `spec.config` of OLM's Subscription. */
  readonly config?: object;
  /** Taken with SLIPWAY_OLM_SAMPLE=yes. */
  readonly isSampled?: true;
  readonly because: string;
}

/** Every kind of setting that both have. */
const CONFIG = {
  env: [{ name: 'WATCHED_BY', value: 'a person' }],
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'operators', effect: 'NoSchedule' }],
  resources: { requests: { cpu: '11m', memory: '17Mi' }, limits: { memory: '513Mi' } },
  volumes: [{ name: 'scratch', emptyDir: {} }],
  volumeMounts: [{ name: 'scratch', mountPath: '/var/scratch' }],
  annotations: { 'example.com/team': 'storage' },
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, preference: { matchExpressions: [{ key: 'type', operator: 'In', values: ['kwok'] }] } },
      ],
    },
  },
} as const;

export const LEAVERS: readonly Leaver[] = [
  {
    source: 'made',
    package: 'gadget-operator',
    namespace: 'gadgets',
    mode: 'AllNamespaces',
    isSampled: true,
    because: 'it serves an aggregated API, which no package of the corpus does, and has all three sorts of webhooks',
  },
  {
    source: 'dev-set',
    package: 'netobserv-operator',
    namespace: 'netobserv',
    mode: 'AllNamespaces',
    isSampled: true,
    because: 'it converts, validates, and has a Service and a ConfigMap of its own',
  },
  {
    source: 'found-2026-11',
    package: 'rabbitmq-messaging-topology-operator',
    namespace: 'rabbit',
    mode: 'MultiNamespace',
    isSampled: true,
    because: 'it requires a kind and a package, and has 13 validating webhooks that select namespaces',
  },
  {
    source: 'found-2026-11',
    package: 'rabbitmq-cluster-operator',
    namespace: 'rabbit',
    mode: 'MultiNamespace',
    requiredBy: 'rabbitmq-messaging-topology-operator',
    isSampled: true,
    because: 'OLM has subscribed to it, as another one requires it',
  },
  {
    source: 'dev-set',
    package: 'clickhouse',
    namespace: 'clickhouse',
    mode: 'OwnNamespace',
    config: CONFIG,
    isSampled: true,
    because: 'its Pods have every setting that a Subscription can have',
  },
  {
    source: 'found-2026-11',
    package: 'grafana-operator',
    namespace: 'grafana',
    mode: 'SingleNamespace',
    isUpgraded: true,
    isSampled: true,
    because: 'it watches another namespace, with rights and a copy there, and OLM has upgraded it',
  },
  {
    source: 'dev-set',
    package: 'apicast-community-operator',
    namespace: 'apicast',
    mode: 'OwnNamespace',
    approval: 'Manual',
    isSampled: true,
    because: 'a person approves its upgrades, and one waits for approval',
  },
  {
    source: 'dev-set',
    package: 'kuadrant-operator',
    namespace: 'kuadrant',
    mode: 'AllNamespaces',
    because: 'it requires three packages by their versions',
  },
  {
    source: 'dev-set',
    package: 'authorino-operator',
    namespace: 'kuadrant',
    mode: 'AllNamespaces',
    requiredBy: 'kuadrant-operator',
    because: 'it is required, converts, and has two Deployments',
  },
  {
    source: 'dev-set',
    package: 'dns-operator',
    namespace: 'kuadrant',
    mode: 'AllNamespaces',
    requiredBy: 'kuadrant-operator',
    because: 'it is required',
  },
  {
    source: 'dev-set',
    package: 'limitador-operator',
    namespace: 'kuadrant',
    mode: 'AllNamespaces',
    requiredBy: 'kuadrant-operator',
    because: 'it is required',
  },
  {
    source: 'dev-set',
    package: 'cluster-aas-operator',
    namespace: 'argo',
    mode: 'AllNamespaces',
    because: 'it requires a kind by its bundle alone, and has webhooks of all three sorts',
  },
  {
    source: 'dev-set',
    package: 'argocd-operator',
    namespace: 'argo',
    mode: 'AllNamespaces',
    requiredBy: 'cluster-aas-operator',
    because: 'it is required, and converts',
  },
  {
    source: 'dev-set',
    package: 'verticadb-operator',
    namespace: 'vertica',
    mode: 'AllNamespaces',
    because: 'it converts, has ten webhooks, and brings ClusterRoleBindings',
  },
  {
    source: 'dev-set',
    package: 'cloudnative-pg',
    namespace: 'postgres',
    mode: 'MultiNamespace',
    because: 'it has mutating and validating webhooks, and several target namespaces',
  },
  {
    source: 'dev-set',
    package: 'cert-manager',
    namespace: 'cert-manager',
    mode: 'AllNamespaces',
    because: 'it has three Deployments, and its webhooks are of one of them',
  },
  {
    source: 'found-2026-11',
    package: 'self-node-remediation',
    namespace: 'remediation',
    mode: 'AllNamespaces',
    because: 'it has webhooks of two sorts, and brings a ConfigMap and a ClusterRole',
  },
  {
    source: 'found-2026-11',
    package: 'slurm-operator',
    namespace: 'slurm',
    mode: 'AllNamespaces',
    because: 'it has webhooks and two Deployments',
  },
  {
    source: 'dev-set',
    package: 'kubernaut-operator',
    namespace: 'kubernaut',
    mode: 'OwnNamespace',
    because: 'it validates in its own namespace only',
  },
  {
    source: 'dev-set',
    package: 'mongodb-enterprise',
    namespace: 'mongodb',
    mode: 'SingleNamespace',
    because: 'it brings a ServiceAccount, a Role and a RoleBinding, which name no operator, and has webhooks',
  },
  {
    source: 'dev-set',
    package: 'gitlab-runner-operator',
    namespace: 'gitlab',
    mode: 'SingleNamespace',
    because: 'it brings a Role and a RoleBinding, and watches another namespace',
  },
  {
    source: 'dev-set',
    package: 'leaksignal-operator',
    namespace: 'leaksignal',
    mode: 'AllNamespaces',
    because: 'it brings a PriorityClass',
  },
  {
    source: 'dev-set',
    package: 'percona-server-mongodb-operator',
    namespace: 'percona',
    mode: 'OwnNamespace',
    because: 'it has rights in its own namespace only',
  },
  {
    source: 'dev-set',
    package: 'k8gb',
    namespace: 'k8gb',
    mode: 'AllNamespaces',
    because: 'it has two Deployments, and a ClusterServiceVersion of an odd apiVersion',
  },
  {
    source: 'dev-set',
    package: 'project-quay',
    namespace: 'quay',
    mode: 'MultiNamespace',
    because: 'its versions are named after another package',
  },
  {
    source: 'dev-set',
    package: 'function-mesh',
    namespace: 'mesh',
    mode: 'AllNamespaces',
    because: 'it brings a Secret, and has six webhooks',
  },
];

/** Namespaces that the OperatorGroup targets; none for all. */
export function targetsOf({ mode, namespace }: Pick<Leaver, 'mode' | 'namespace'>): readonly string[] {
  if (mode === 'AllNamespaces') return [];
  if (mode === 'OwnNamespace') return [namespace];
  return mode === 'SingleNamespace' ? [`${namespace}-work`] : [`${namespace}-one`, `${namespace}-two`];
}
