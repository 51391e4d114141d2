/** The names by which Slipway is known in a cluster: group, labels, annotations, finalizers, field manager. */

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
  /** `true` on a Subscription that was made because something depends on its package. */
  dependency: 'slipway.dev/dependency',
} as const;

export const ANNOTATION = {
  /** Any new value asks for a reconcile now; echoed in `status.lastHandledReconcileAt`. */
  reconcileRequestedAt: 'slipway.dev/reconcile-requested-at',
  /** On a Subscription: losses of custom resources up to this time are known to a person, and told no longer. */
  lossesAcknowledgedAt: 'slipway.dev/losses-acknowledged-at',
  /** `<namespace>/<name>` of the owning Subscription, in full. */
  owner: 'slipway.dev/owner',
  /** uid of the owning Subscription: its name may be given to another one later. */
  ownerUid: 'slipway.dev/owner-uid',
  /** uid of the Subscription that requested this one as a dependency. */
  requestedBy: 'slipway.dev/requested-by',
  /** `<namespace>/<name>` of the Subscription that may take over an object that exists. */
  adoptBy: 'slipway.dev/adopt-by',
  /** Which Revision, and since which of its generations, keeps an object that another one may be deleting. */
  keptBy: 'slipway.dev/kept-by',
  /** On rights of the manager that come and go with what is installed: what they are for. */
  access: 'slipway.dev/access',
  /** `pod-template-hash` of the Pods that go on working while those of the next Revision are tried out. */
  rehearsal: 'slipway.dev/rehearsal',
  /** `pod-template-hash` of the Pods that have been tried out, while those before them are still there. */
  letIn: 'slipway.dev/let-in',
} as const;

/** Annotations by which another program writes the certificate authority into a CRD or a webhook configuration. */
export const CA_INJECTION: ReadonlySet<string> = new Set([
  'cert-manager.io/inject-ca-from',
  'cert-manager.io/inject-ca-from-secret',
  'cert-manager.io/inject-apiserver-ca',
  'service.beta.openshift.io/inject-cabundle',
]);
