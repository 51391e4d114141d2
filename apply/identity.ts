/**
 * The identity of an object: group, kind, namespace and name. The version is left out, since an object is served under
 * several versions.
 */
import { groupKind, type Kind, type ObjectRef } from '../api/object.ts';

/** A key for maps, such as `Deployment.apps|ops|manager`. */
export function identityOf(ref: ObjectRef): string {
  return `${groupKind(ref)}|${ref.namespace ?? ''}|${ref.name}`;
}

/** The kinds of core groups that live in no namespace, as group-kinds. */
const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  'Namespace',
  'Node',
  'PersistentVolume',
  'APIService.apiregistration.k8s.io',
  'CSIDriver.storage.k8s.io',
  'CSINode.storage.k8s.io',
  'ClusterIssuer.cert-manager.io',
  'ClusterRole.rbac.authorization.k8s.io',
  'ClusterRoleBinding.rbac.authorization.k8s.io',
  'ConsoleCLIDownload.console.openshift.io',
  'ConsoleLink.console.openshift.io',
  'ConsolePlugin.console.openshift.io',
  'ConsoleQuickStart.console.openshift.io',
  'ConsoleYAMLSample.console.openshift.io',
  'CustomResourceDefinition.apiextensions.k8s.io',
  'FlowSchema.flowcontrol.apiserver.k8s.io',
  'IngressClass.networking.k8s.io',
  'MutatingAdmissionPolicy.admissionregistration.k8s.io',
  'MutatingAdmissionPolicyBinding.admissionregistration.k8s.io',
  'MutatingWebhookConfiguration.admissionregistration.k8s.io',
  'PriorityClass.scheduling.k8s.io',
  'PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io',
  'RuntimeClass.node.k8s.io',
  'StorageClass.storage.k8s.io',
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io',
  'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io',
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
  'VolumeAttachment.storage.k8s.io',
]);

/** Groups whose kinds, apart from those above, all live in namespaces. */
const NAMESPACED_GROUPS: ReadonlySet<string> = new Set([
  '',
  'apps',
  'autoscaling',
  'batch',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
]);

/** More kinds that live in namespaces. */
const NAMESPACED: ReadonlySet<string> = new Set([
  'Certificate.cert-manager.io',
  'Ingress.networking.k8s.io',
  'Issuer.cert-manager.io',
  'NetworkPolicy.networking.k8s.io',
  'OperatorCondition.operators.coreos.com',
  'PodMonitor.monitoring.coreos.com',
  'PrometheusRule.monitoring.coreos.com',
  'Route.route.openshift.io',
  'ServiceMonitor.monitoring.coreos.com',
  'VerticalPodAutoscaler.autoscaling.k8s.io',
]);

/** Whether a kind is known to live in namespaces; undefined if only the cluster's discovery knows. */
export function knownScope(ref: Kind): 'Cluster' | 'Namespaced' | undefined {
  const kind = groupKind(ref);
  if (CLUSTER_SCOPED.has(kind)) return 'Cluster';
  const group = kind.slice(ref.kind.length + 1);
  return NAMESPACED_GROUPS.has(group) || NAMESPACED.has(kind) ? 'Namespaced' : undefined;
}
