/**
 * Sorts the objects of a revision into phases. The phases are a small dependency graph rather than a strict sequence: a
 * large CRD takes seconds to be Established, so all CRDs are sent first and together, and phases that do not need them
 * go on meanwhile. Pure; apply.ts walks the graph, uninstall.ts has an order of its own. The order never depends on the
 * order in which a bundle lists its objects.
 */
import { ANNOTATION } from '../api/names.ts';
import { groupKind, groupOf, type Kind, type KubeObject } from '../api/object.ts';
import { isReservedGroup } from '../api/reserved-groups.ts';

/** The closed list of phases, in the order of reports. */
export const PHASE_NAMES = [
  'namespaces',
  'policies',
  'identity',
  'configuration',
  'storage',
  'crds',
  'roles',
  'bindings',
  'infrastructure',
  'workloads',
  'publish',
  'admission',
  'customResources',
] as const;

export type PhaseName = (typeof PHASE_NAMES)[number];

/** A phase begins when another one is `applied` (the API server has its objects) or `ready` (they work). */
export interface PhaseDependency {
  readonly phase: PhaseName;
  readonly until: 'applied' | 'ready';
}

export interface PlannedPhase {
  readonly name: PhaseName;
  readonly objects: readonly KubeObject[];
  /** Every phase that comes before this one, not only the nearest: an empty phase in between may be left out. */
  readonly after: readonly PhaseDependency[];
}

const applied = (...phases: readonly PhaseName[]): PhaseDependency[] =>
  phases.map((phase) => ({ phase, until: 'applied' }));
const ready = (...phases: readonly PhaseName[]): PhaseDependency[] =>
  phases.map((phase) => ({ phase, until: 'ready' }));

const BEFORE_WORKLOADS = applied('namespaces', 'policies', 'identity', 'configuration', 'storage', 'roles', 'bindings');

/** The dependencies of each phase. CRDs wait for nothing, and only phases that use CRDs wait for them. */
const AFTER: Readonly<Record<PhaseName, readonly PhaseDependency[]>> = {
  namespaces: [],
  policies: applied('namespaces'),
  identity: applied('namespaces'),
  configuration: applied('namespaces'),
  // A claim may stay Pending until a Pod uses it, so no phase waits for it to be Bound.
  storage: applied('namespaces'),
  crds: [],
  roles: applied('namespaces'),
  // A binding is rejected if its role is missing, unless its writer may bind any role.
  bindings: applied('namespaces', 'identity', 'roles'),
  infrastructure: applied('namespaces'),
  // An operator that starts before its CRDs are Established crashes, and then backs off for longer than this wait.
  workloads: [...BEFORE_WORKLOADS, ...ready('crds', 'infrastructure')],
  publish: [...BEFORE_WORKLOADS, ...ready('crds', 'infrastructure', 'workloads')],
  // A webhook without a running server rejects every request that it matches, so it comes last.
  admission: [...BEFORE_WORKLOADS, ...ready('crds', 'infrastructure', 'workloads'), ...applied('publish')],
  // The running operator validates, converts and reconciles them.
  customResources: [
    ...BEFORE_WORKLOADS,
    ...ready('crds', 'bindings', 'infrastructure', 'workloads', 'admission'),
    ...applied('publish'),
  ],
};

const KINDS: Readonly<Record<Exclude<PhaseName, 'customResources'>, readonly string[]>> = {
  namespaces: ['Namespace'],
  policies: [
    'LimitRange',
    'NetworkPolicy.networking.k8s.io',
    'PodDisruptionBudget.policy',
    'PriorityClass.scheduling.k8s.io',
    'ResourceQuota',
  ],
  identity: ['ServiceAccount'],
  configuration: ['ConfigMap', 'OperatorCondition.operators.coreos.com', 'Secret'],
  storage: ['PersistentVolume', 'PersistentVolumeClaim', 'StorageClass.storage.k8s.io'],
  crds: ['CustomResourceDefinition.apiextensions.k8s.io'],
  roles: ['ClusterRole.rbac.authorization.k8s.io', 'Role.rbac.authorization.k8s.io'],
  bindings: ['ClusterRoleBinding.rbac.authorization.k8s.io', 'RoleBinding.rbac.authorization.k8s.io'],
  infrastructure: [
    'Certificate.cert-manager.io',
    'ClusterIssuer.cert-manager.io',
    'EndpointSlice.discovery.k8s.io',
    'Endpoints',
    'Issuer.cert-manager.io',
    'Service',
  ],
  workloads: [
    'CronJob.batch',
    'DaemonSet.apps',
    'Deployment.apps',
    'Job.batch',
    'Pod',
    'ReplicaSet.apps',
    'ReplicationController',
    'StatefulSet.apps',
  ],
  publish: [
    'APIService.apiregistration.k8s.io',
    'ConsoleCLIDownload.console.openshift.io',
    'ConsoleLink.console.openshift.io',
    'ConsolePlugin.console.openshift.io',
    'ConsoleQuickStart.console.openshift.io',
    'ConsoleYAMLSample.console.openshift.io',
    'HorizontalPodAutoscaler.autoscaling',
    'Ingress.networking.k8s.io',
    'PodMonitor.monitoring.coreos.com',
    'PrometheusRule.monitoring.coreos.com',
    'Route.route.openshift.io',
    'ServiceMonitor.monitoring.coreos.com',
    'VerticalPodAutoscaler.autoscaling.k8s.io',
  ],
  admission: [
    'MutatingAdmissionPolicy.admissionregistration.k8s.io',
    'MutatingAdmissionPolicyBinding.admissionregistration.k8s.io',
    'MutatingWebhookConfiguration.admissionregistration.k8s.io',
    'ValidatingAdmissionPolicy.admissionregistration.k8s.io',
    'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io',
    'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
  ],
};

const PHASE_BY_KIND: ReadonlyMap<string, PhaseName> = new Map(
  Object.entries(KINDS).flatMap(([phase, kinds]) => kinds.map((kind) => [kind, phase as PhaseName] as const)),
);

/** The phase of an object, by group and kind; an unlisted kind is one that a CRD of the bundle defines. */
export function phaseOf(object: Kind): PhaseName {
  return PHASE_BY_KIND.get(groupKind(object)) ?? 'customResources';
}

/**
 * The phases that have objects, in the order of {@link PHASE_NAMES}; objects within one are sorted by group,
 * kind, namespace, name and version. A phase that holds custom resources of a CRD in the same set, or rights on them,
 * also waits for the CRDs.
 */
export function orderObjects(objects: readonly KubeObject[], { mayBind = false }: OrderOptions = {}): PlannedPhase[] {
  const grouped = Map.groupBy(objects, phaseOf);
  const own = kindsDefinedIn(grouped.get('crds') ?? []);
  return PHASE_NAMES.flatMap((name) => {
    const members = grouped.get(name);
    if (members === undefined) return [];
    const usesOwnKinds = members.some((object) => own.has(groupKind(object)) || givesAccess(object));
    const bindsAtOnce = name === 'bindings' && mayBind && !members.some(givesAccess);
    const after = bindsAtOnce ? AFTER_NAMESPACES : AFTER[name];
    return [{ name, objects: members.toSorted(compareObjects), after: withCrds(after, usesOwnKinds) }];
  });
}

/** Without its role a binding grants nothing yet; nothing reads it before the workloads, which wait for both. */
const AFTER_NAMESPACES = applied('namespaces');

export interface OrderOptions {
  /** Whether the account that writes the objects may bind every role: its bindings need not wait for their roles. */
  readonly mayBind?: boolean;
}

/** Whether an object grants the manager rights on kinds of the same set: only once the CRDs of the set are applied. */
function givesAccess({ metadata: { annotations } }: KubeObject): boolean {
  return annotations?.[ANNOTATION.access] !== undefined;
}

/**
 * Group-kinds that these CRDs define, such as `Widget.example.com`, without the groups of Kubernetes and of Slipway.
 */
export function kindsDefinedIn(crds: readonly KubeObject[]): ReadonlySet<string> {
  return new Set(
    crds.flatMap((crd) => {
      const spec = crd['spec'] as { group?: unknown; names?: { kind?: unknown } } | null | undefined;
      const kind = spec?.names?.kind;
      if (typeof kind !== 'string' || typeof spec?.group !== 'string' || isReservedGroup(spec.group)) return [];
      return [`${kind}.${spec.group}`];
    }),
  );
}

function withCrds(after: readonly PhaseDependency[], needed: boolean): readonly PhaseDependency[] {
  return needed && !after.some(({ phase }) => phase === 'crds') ? [...after, ...ready('crds')] : after;
}

/** A total order of objects that differ in identity or version. */
export function compareObjects(a: KubeObject, b: KubeObject): number {
  return (
    compare(groupOf(a.apiVersion), groupOf(b.apiVersion)) ||
    compare(a.kind, b.kind) ||
    compare(a.metadata.namespace ?? '', b.metadata.namespace ?? '') ||
    compare(a.metadata.name, b.metadata.name) ||
    compare(a.apiVersion, b.apiVersion)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
