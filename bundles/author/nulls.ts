/** Fields that are null in an author's objects: the API server takes them for absent, and so does every later step. */
import { isRecord } from '../../api/untyped.ts';
import { groupKind, type KubeObject } from '../../api/object.ts';

/** Kinds that a bundle is made from. Others are published as they are: a null may be a value of a custom resource. */
const READ: ReadonlySet<string> = new Set([
  'Deployment.apps',
  'Service',
  'ClusterRole.rbac.authorization.k8s.io',
  'Role.rbac.authorization.k8s.io',
  'ClusterRoleBinding.rbac.authorization.k8s.io',
  'RoleBinding.rbac.authorization.k8s.io',
  'MutatingWebhookConfiguration.admissionregistration.k8s.io',
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
  'Certificate.cert-manager.io',
]);

/** The object without fields that are null, if a bundle is made from objects of its kind. */
export function withoutNulls(object: KubeObject): KubeObject {
  return READ.has(groupKind(object)) ? (prune(object) as KubeObject) : object;
}

function prune(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prune);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(kept.map(([key, child]) => [key, prune(child)]));
}
