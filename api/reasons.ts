/**
 * Every reason of conditions, events and errors, with its meaning. The list is closed: a new outcome gets a line here
 * first, and docs/api.md is generated from it.
 */
export const REASONS = {
  // Progress and success
  Succeeded: 'Everything is as the spec asks.',
  Progressing: 'Work is under way; nothing is wrong.',
  Installing: 'The first Revision is being applied.',
  Upgrading: 'A newer Revision is being applied.',
  RollingBack: 'The previous Revision is being applied again.',
  RolledBack: 'The previous Revision runs again after an upgrade that failed.',
  Repaired: 'Objects that another program or a person changed or deleted are as they should be again.',
  Contested: 'Another program changes an object back each time after the manager has repaired it.',
  CustomResourcesLost: 'A CRD of the operator was deleted, and all of its custom resources with it.',
  Uninstalling: 'The operator is being uninstalled.',
  Orphaned: 'The Subscription was deleted, and the objects of its operator stay, as its spec asks.',
  Suspended: 'The spec says to do nothing until resumed.',
  Archived: 'Another Revision has taken over.',
  UpgradeAvailable: 'A newer version may be installed.',
  UpToDate: 'No newer version may be installed.',
  NotDeprecated: 'Nothing in use is marked as deprecated.',
  PackageDeprecated: 'The catalog marks the package as deprecated.',
  ChannelDeprecated: 'The catalog marks the channel as deprecated.',
  BundleDeprecated: 'The catalog marks the installed bundle as deprecated.',
  // Waiting for a person or a time
  ApprovalRequired: 'A Revision waits for approval.',
  Planning: 'The plan of an upgrade is being made; nothing is applied before it is known.',
  AwaitingApproval: 'The plan of an upgrade is outside of the upgrade policy, and waits for approval.',
  ApprovalVoid: 'The approval is for another plan or version than the one that comes next.',
  PlanFailed: 'The plan of an upgrade cannot be made, so the upgrade waits.',
  OperatorNotUpgradeable: 'The installed operator reports by its OperatorCondition that it is not to be upgraded now.',
  OutsideWindow: 'The upgrade waits for its maintenance window.',
  DependencyNotReady: 'Something that the bundle depends on is not there yet.',
  Superseded: 'A Revision that waited without approval is not the next one any more, and is deleted.',
  RequirementOverruled: 'A bundle needs another version of a package whose Subscription does not have to respect that.',
  // Adoption
  Adopting: 'An operator of another program is being taken over, step by step.',
  Adopted: 'The operator of another program is taken over, or objects that existed are.',
  AdoptionRefused: 'The operator of another program cannot be taken over as it is.',
  // The spec
  InvalidSpec: 'A field of the spec has a value that cannot be acted on.',
  InvalidVersionRange: 'The version range cannot be parsed.',
  InvalidConfiguration: 'The configuration does not fit the bundle.',
  InstallModeUnsupported: 'The bundle does not support the namespaces that are to be watched.',
  ObjectNotFound: 'The object does not exist, or the user may not see it.',
  InputInvalid: 'A file, folder or option of the command line cannot be used.',
  // Catalogs and resolution
  CatalogNotFound: 'The named catalog does not exist.',
  CatalogUnavailable: 'Nothing of the catalog is in service.',
  CatalogInvalid: 'The content of the catalog image cannot be read.',
  CatalogNotAllowed: 'The Catalog may not be used in the namespace: its spec.allowedNamespaces does not select it.',
  CatalogStale: 'The catalog cannot be refreshed; its last good content is in use.',
  PackageNotFound: 'No catalog offers the package.',
  ChannelNotFound: 'The package has no such channel.',
  VersionNotFound: 'No bundle matches the version and the channel.',
  NoUpgradePath: 'The upgrade graph does not lead from the installed version to the requested one.',
  AmbiguousCatalogs: 'Several catalogs of equal priority offer the package.',
  ResolutionFailed: 'The constraints cannot hold together.',
  Quarantined: 'The version failed before and is not tried again.',
  // Registries and images
  ReferenceInvalid: 'The image reference cannot be parsed.',
  RegistryUnavailable: 'The registry cannot be reached, or answers with a server error.',
  RegistryDenied: 'The registry refuses the credentials, or asks for some.',
  RegistryThrottled: 'The registry asks to slow down.',
  ImageNotFound: 'The registry has no such image.',
  DigestMismatch: 'The content has another digest than its reference names.',
  ImageInvalid: 'The image is malformed, or not of the kind expected.',
  ImageTooLarge: 'The image exceeds a limit on size, count or ratio.',
  PullSecretInvalid: 'The pull secret is missing or cannot be read.',
  RegistryPolicyInvalid: 'A RegistryPolicy over the image cannot be used, or contradicts another one.',
  // Signatures
  Unsigned: 'The image has no signature, and the policy requires one.',
  SignatureMalformed: 'A signature cannot be parsed, or is of no form that signers write.',
  SignatureOfOtherSubject: 'A signature is listed for the image and refers to another one.',
  SignatureNotLogged: 'No trusted transparency log or timestamp authority has seen the signature.',
  SignatureInvalid: 'The signature does not fit the signed content.',
  SignatureExpired: 'The certificate was not valid when the signature was made.',
  SignedByOtherKey: 'A key signed the image that the policy does not trust.',
  SignedByOtherIdentity: 'An identity signed the image that the policy does not trust.',
  SignedOtherDigest: 'The signature is about another digest than that of the image.',
  SignedOtherReference: 'The signature is about an image of another repository.',
  ImageNotPinned: 'A policy demands signatures of an image that is named without its digest.',
  AttestationMissing: 'The image lacks an attestation that the policy requires.',
  TooManySignatures: 'The registry lists more signatures of the image than are checked.',
  // Bundles
  BundleInvalid: 'The bundle cannot be parsed.',
  BundleUnsupported: 'The bundle needs something that cannot be installed.',
  BundleTooLarge: 'The bundle exceeds a limit on size or count.',
  InvalidCABundle: 'The caBundle of a webhook holds no certificate, so that the API server does not serve its CRD.',
  // The cluster
  NamespaceTerminating: 'The namespace is being deleted.',
  Collision: 'An object exists and belongs to another owner.',
  Forbidden: 'The API server refuses for lack of rights.',
  ObjectInvalid: 'The API server refuses an object.',
  ServiceAccountNotFound: 'The ServiceAccount to act as does not exist.',
  CRDUnsafe: 'The new CRD could lose or reject data that exists.',
  ApplyFailed: 'An object could not be applied.',
  RevisionInvalid: 'The Revision was not made by the manager, or contradicts the records of the manager.',
  ManifestsMissing: 'The stored manifests of a Revision are missing or damaged.',
  DeleteBlocked: 'Something keeps an object from being deleted.',
  ApiUnavailable: 'The API server cannot be reached, or is overloaded.',
  KubeconfigInvalid: 'The kubeconfig is missing, malformed, or needs a feature that is not supported.',
  CredentialsUnavailable: 'The plugin or the issuer that the kubeconfig names gives no credentials.',
  Conflict: 'Another writer was faster; the work is done again.',
  // Health
  WorkloadUnhealthy: 'A Deployment does not become available.',
  WebhookSilent: 'A webhook of the operator does not answer the API server.',
  ProgressDeadlineExceeded: 'The rollout took longer than its deadline.',
  CertificateRotated: 'The certificate of a webhook is replaced, and the Pods that serve with it are restarted.',
  // Removal
  CustomResourcesExist: 'Custom resources exist and the policy is to keep them.',
  LeaderLost: 'Another replica leads now.',
  LateWrite: 'A former leader made an object that is not wanted any more; it is removed.',
  InternalError: 'A defect of Slipway; please report it.',
} as const;

/** A CamelCase word of the closed list, used verbatim in conditions, events and errors. */
export type Reason = keyof typeof REASONS;

/** Reasons of a Revision that waits for the approval of a person. */
export const WAITS_FOR_APPROVAL: ReadonlySet<string> = new Set<Reason>([
  'ApprovalRequired',
  'ApprovalVoid',
  'AwaitingApproval',
]);

/** Reasons of a Revision that waits for a better moment; no person has to act. */
export const WAITS_FOR_A_TIME: ReadonlySet<string> = new Set<Reason>(['OperatorNotUpgradeable', 'OutsideWindow']);

/** Reasons of work in progress that meets no trouble. */
export const AT_WORK: ReadonlySet<string> = new Set<Reason>([
  'Progressing',
  'Installing',
  'Upgrading',
  'RollingBack',
  'Uninstalling',
  'Planning',
]);
