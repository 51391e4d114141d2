/** The kinds that a bundle may hold besides its CSV and CRDs. @see https://olm.operatorframework.io/docs/tasks/creating-operator-bundle/ */

export interface SupportedKind {
  /** Whether its objects are put into the namespace of the operator. */
  readonly namespaced: boolean;
  /** The version to assume where an object names none, as OLM v0 does. */
  readonly apiVersion: string;
}

const RBAC = 'rbac.authorization.k8s.io/v1';
const MONITORING = 'monitoring.coreos.com/v1';
const CONSOLE = 'console.openshift.io/v1';

/**
 * By kind alone, as OLM has it: an object of another group whose kind has the same name is treated alike. A
 * VerticalPodAutoscaler is namespaced, but counts as if it were not: its namespace stays.
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
