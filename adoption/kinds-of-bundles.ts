/** The kinds that bundles contain, of which OLM makes objects: both versions of OLM have further ones. */
import type { Kind } from '../api/object.ts';

/** Without these an operator does not work. */
export const WORKING_KINDS: readonly Kind[] = [
  ...['ConfigMap', 'Secret', 'Service', 'ServiceAccount'].map((kind) => ({ apiVersion: 'v1', kind })),
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  ...['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
  })),
  ...['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'].map((kind) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
  })),
];

export const OPTIONAL_KINDS: readonly Kind[] = [
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  ...['ServiceMonitor', 'PodMonitor', 'PrometheusRule'].map((kind) => ({
    apiVersion: 'monitoring.coreos.com/v1',
    kind,
  })),
  { apiVersion: 'autoscaling.k8s.io/v1', kind: 'VerticalPodAutoscaler' },
  ...['ConsoleCLIDownload', 'ConsoleLink', 'ConsoleQuickStart', 'ConsoleYAMLSample', 'ConsolePlugin'].map((kind) => ({
    apiVersion: 'console.openshift.io/v1',
    kind,
  })),
];
