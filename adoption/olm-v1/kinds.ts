/** The kinds, labels and annotations of OLM v1. Pure. @see https://operator-framework.github.io/operator-controller/ */
import type { Kind, ObjectRef } from '../../api/object.ts';

export const EXTENSION = {
  apiVersion: 'olm.operatorframework.io/v1',
  kind: 'ClusterExtension',
} as const satisfies Kind;

/** The prefix of all labels and finalizers of OLM v1. */
export const OLM_PREFIX = 'olm.operatorframework.io/';

/** The labels by which OLM v1 marks the objects that it has installed. */
export const OWNER_LABEL = {
  kind: `${OLM_PREFIX}owner-kind`,
  name: `${OLM_PREFIX}owner-name`,
} as const;

/** The marks of Helm, by which OLM v1 installs. */
export const HELM = {
  managedBy: 'app.kubernetes.io/managed-by',
  annotations: ['meta.helm.sh/release-name', 'meta.helm.sh/release-namespace'],
} as const;

/** On a Service for which OpenShift issues a certificate. */
export const SERVING_CERTIFICATE = 'service.beta.openshift.io/serving-cert-secret-name';

/** The Secrets of a release of Helm, in the namespace of OLM v1; large ones have further Secrets, which follow the first. */
export function releaseSelector(extension: string): string {
  return `owner=operator-controller,type=index,name=${extension}`;
}

/**
 * The namespaces of OLM v1, by its manifests and on OpenShift. Each tenant can write Secrets like those of a release in its own
 * namespace, so they count only in these.
 */
export const SYSTEM_NAMESPACES = ['olmv1-system', 'openshift-operator-controller'] as const;

/** Its Secrets have this type. */
export const RELEASE_TYPE = 'operatorframework.io/index.v1';

/** On a ClusterExtension of a way back, until it is as it was before the hand-over. */
export const OFFER = 'slipway.dev/adoption-offer';

export function extensionRef(name: string): ObjectRef {
  return { ...EXTENSION, name };
}
