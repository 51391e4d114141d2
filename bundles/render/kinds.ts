/** The kinds that a bundle may hold besides its CSV and CRDs: well-known ones, and those that its CRDs define. @see https://olm.operatorframework.io/docs/tasks/creating-operator-bundle/ */

import { isRecord } from '../../api/untyped.ts';
import { isReservedGroup } from '../../api/reserved-groups.ts';
import { groupKind, groupOf, type Kind } from '../../api/object.ts';
import type { Manifest } from '../bundle.ts';

export interface SupportedKind {
  /** Whether its objects are put into the namespace of the operator. */
  readonly namespaced: boolean;
  /** The version to assume for an object that names none, as OLM v0 does. */
  readonly apiVersion: string;
}

const RBAC = 'rbac.authorization.k8s.io/v1';
const MONITORING = 'monitoring.coreos.com/v1';
const CONSOLE = 'console.openshift.io/v1';

/**
 * By kind; the group is that of `apiVersion`. A VerticalPodAutoscaler is namespaced, but counts as if it were not: its
 * namespace stays, as with OLM.
 */
export const SUPPORTED_KINDS: ReadonlyMap<string, SupportedKind> = new Map(
  Object.entries({
    Service: { namespaced: true, apiVersion: 'v1' },
    ServiceAccount: { namespaced: true, apiVersion: 'v1' },
    Secret: { namespaced: true, apiVersion: 'v1' },
    ConfigMap: { namespaced: true, apiVersion: 'v1' },
    Role: { namespaced: true, apiVersion: RBAC },
    RoleBinding: { namespaced: true, apiVersion: RBAC },
    PodDisruptionBudget: { namespaced: true, apiVersion: 'policy/v1' },
    NetworkPolicy: { namespaced: true, apiVersion: 'networking.k8s.io/v1' },
    PrometheusRule: { namespaced: true, apiVersion: MONITORING },
    ServiceMonitor: { namespaced: true, apiVersion: MONITORING },
    PodMonitor: { namespaced: true, apiVersion: MONITORING },
    ClusterRole: { namespaced: false, apiVersion: RBAC },
    ClusterRoleBinding: { namespaced: false, apiVersion: RBAC },
    PriorityClass: { namespaced: false, apiVersion: 'scheduling.k8s.io/v1' },
    VerticalPodAutoscaler: { namespaced: false, apiVersion: 'autoscaling.k8s.io/v1' },
    ConsoleYAMLSample: { namespaced: false, apiVersion: CONSOLE },
    ConsoleQuickStart: { namespaced: false, apiVersion: CONSOLE },
    ConsoleCLIDownload: { namespaced: false, apiVersion: CONSOLE },
    ConsoleLink: { namespaced: false, apiVersion: CONSOLE },
    ConsolePlugin: { namespaced: false, apiVersion: CONSOLE },
  }),
);

/** A kind that a CRD of the bundle defines. */
export interface OwnKind {
  readonly namespaced: boolean;
  /** Of the CRD, those that are served: `v1`. */
  readonly versions: ReadonlySet<string>;
}

/**
 * The well-known kind of an object, by group and kind: `Secret.secretsmanager.services.k8s.aws` is no Secret. An object
 * without apiVersion is of the group that its kind usually has.
 */
export function supportedKind({ apiVersion, kind }: Kind): SupportedKind | undefined {
  const known = SUPPORTED_KINDS.get(kind);
  if (known === undefined || apiVersion === '') return known;
  return groupOf(apiVersion) === groupOf(known.apiVersion) ? known : undefined;
}

/**
 * The kinds that CRDs define, by kind and group: `Gadget.example.com`; none of Kubernetes' own groups or of Slipway's, of which
 * a bundle brings no objects. CRDs are read as far as they can be understood.
 */
export function ownKinds(crds: readonly Manifest[]): ReadonlyMap<string, OwnKind> {
  return new Map(crds.flatMap(({ object }) => ownKind(object['spec'])));
}

function ownKind(spec: unknown): readonly (readonly [string, OwnKind])[] {
  if (!isRecord(spec) || typeof spec['group'] !== 'string' || !isRecord(spec['names'])) return [];
  const { kind } = spec['names'];
  if (typeof kind !== 'string' || isReservedGroup(spec['group'])) return [];
  const versions = Array.isArray(spec['versions']) ? spec['versions'].filter(isRecord) : [];
  const served = versions.filter((version) => version['served'] === true).map(({ name }) => String(name));
  const identity = groupKind({ apiVersion: `${spec['group']}/v1`, kind });
  return [[identity, { namespaced: spec['scope'] !== 'Cluster', versions: new Set(served) }]];
}
