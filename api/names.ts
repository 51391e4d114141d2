/** Slipway's names in a cluster: group, labels, annotations, finalizers, field manager. */

export const GROUP = 'slipway.dev';
export const API_VERSION = 'slipway.dev/v1alpha1';

/** Field manager of every server-side apply. */
export const FIELD_MANAGER = 'slipway';

/** Holds a Subscription until its Revisions are gone, and a Revision until its objects are. */
export const FINALIZER = 'slipway.dev/cleanup';

export const LABEL = {
  managedBy: 'app.kubernetes.io/managed-by',
  /** `<namespace>.<name>` of the Subscription that an object belongs to; hashed when longer than 63 characters. */
  owner: 'slipway.dev/owner',
  package: 'slipway.dev/package',
  revision: 'slipway.dev/revision',
  /** `true` on a Subscription that was created as a dependency of another package. */
  dependency: 'slipway.dev/dependency',
} as const;

export const ANNOTATION = {
  /** Any new value requests a reconcile; echoed in `status.lastHandledReconcileAt`. */
  reconcileRequestedAt: 'slipway.dev/reconcile-requested-at',
  /**
   * On a Subscription: a person knows of losses of custom resources up to this time, and they are no longer reported.
   */
  lossesAcknowledgedAt: 'slipway.dev/losses-acknowledged-at',
  /** `<namespace>/<name>` of the owning Subscription, in full. */
  owner: 'slipway.dev/owner',
  /** uid of the owning Subscription: a later one may get the same name. */
  ownerUid: 'slipway.dev/owner-uid',
  /** uid of the Subscription that requested this one as a dependency. */
  requestedBy: 'slipway.dev/requested-by',
  /** `<namespace>/<name>` of the Subscription that may adopt an existing object. */
  adoptBy: 'slipway.dev/adopt-by',
  /** On a namespace: the upgrade policy of its Subscriptions that have none, as JSON. */
  upgradePolicy: 'slipway.dev/upgrade-policy',
  /** The Revision, and its generation, that keeps an object which another Revision may be deleting. */
  keptBy: 'slipway.dev/kept-by',
  /** The purpose of the manager's rights that are granted and revoked with an installed operator. */
  access: 'slipway.dev/access',
  /** uid and resourceVersion of the Secret that a pull secret was copied from. */
  copiedFrom: 'slipway.dev/copied-from',
  /** On the Secret of a certificate that the manager has issued: when the next step of its rotation is due. */
  certificateDue: 'slipway.dev/certificate-due',
  /** `pod-template-hash` of the Pods that keep working during the rehearsal of the next Revision's Pods. */
  rehearsal: 'slipway.dev/rehearsal',
  /** `pod-template-hash` of the Pods that passed the rehearsal, while their predecessors still exist. */
  letIn: 'slipway.dev/let-in',
} as const;

/** Annotations that make another program inject the certificate authority into a CRD or a webhook configuration. */
export const CA_INJECTION: ReadonlySet<string> = new Set([
  'cert-manager.io/inject-ca-from',
  'cert-manager.io/inject-ca-from-secret',
  'cert-manager.io/inject-apiserver-ca',
  'service.beta.openshift.io/inject-cabundle',
]);

/** Whether another program is to inject the certificate authority into the object with these annotations. */
export function isInjected(annotations: object | null | undefined): boolean {
  return Object.keys(annotations ?? {}).some((key) => CA_INJECTION.has(key));
}
