/**
 * The API groups in which no CRD of a bundle may define kinds: those that the API server serves itself, and Slipway's
 * own. An object of such a kind would belong to Kubernetes or Slipway, but be written with rights granted for an
 * operator.
 */
import { GROUP } from './names.ts';

/** @see https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/ */
const RESERVED: ReadonlySet<string> = new Set([
  GROUP,
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** Whether a group belongs to Kubernetes or Slipway. A group without a dot always belongs to Kubernetes. */
export function isReservedGroup(group: string): boolean {
  return !group.includes('.') || RESERVED.has(group);
}
