/** A plan as data: everything that a change of an operator does, before it is done. JSON holds all of it. */
import type { CrdFinding } from '../apply/crd-safety/compare.ts';
import type { ObjectRef } from '../api/object.ts';
import type { OperatorRight } from './rights/right.ts';
import type { RiskLevel, RiskReason } from './risks.ts';

/** The value of a fact that is not known. It never means "none" or "no change". */
export const NOT_KNOWN = 'NotKnown';
export type Known<Value> = Value | typeof NOT_KNOWN;

/** One side of a change. */
export interface PlannedVersion {
  /** Name of the bundle. */
  readonly bundle: string;
  readonly version: string;
  /** The bundle image; absent for a bundle in a folder. */
  readonly image?: string;
  /** The key or identity whose signature of the image is trusted; absent if none is known. */
  readonly signedBy?: string;
  /** Why no trusted signature of the image is known, if that was checked. */
  readonly unsigned?: string;
}

export interface Plan {
  readonly package: string;
  /** `namespace/name` of the Subscription. */
  readonly subscription: string;
  /** The installed version; absent for a first installation. */
  readonly from?: PlannedVersion;
  /** The version to be; absent for an uninstall. */
  readonly to?: PlannedVersion;
  /**
   * `sha256:…` over everything that decides the outcome. It is the same offline and in the cluster, unless the cluster differs
   * from the manifests of the installed version in a way that changes the outcome.
   */
  readonly hash: string;
  readonly risk: Risk;
  readonly objects: ObjectChanges;
  /** Objects and fields of Slipway's own that the roll-out adds to those of the bundle. */
  readonly additions: Additions;
  readonly rights: RightsChange;
  readonly images: ImagesChange;
  readonly crds: readonly CrdChange[];
  readonly webhooks: WebhooksChange;
  readonly dependencies: DependenciesChange;
  /** Workloads whose Pods are replaced. */
  readonly restarts: readonly Restart[];
  readonly wayBack: WayBack;
  /** Facts that are not known, a sentence each. */
  readonly unknown: readonly string[];
}

export interface Risk {
  readonly level: RiskLevel;
  /** The worst first. */
  readonly reasons: readonly StatedRisk[];
}

/** One reason with the fact that gives it. */
export interface StatedRisk {
  readonly reason: RiskReason;
  readonly level: RiskLevel;
  /** The fact as a sentence without its full stop. */
  readonly message: string;
}

export interface ObjectChanges {
  readonly created: readonly ObjectRef[];
  readonly changed: readonly ChangedObject[];
  /**
   * Objects with a change that the API server does not accept on an existing object: the object must be deleted first. Slipway
   * deletes none for that, so the roll-out is rejected until a person has deleted it.
   */
  readonly replaced: readonly ChangedObject[];
  readonly deleted: readonly ObjectRef[];
  /** Objects that the new version does not want, and that stay nevertheless. */
  readonly kept: readonly KeptObject[];
  readonly unchanged: readonly ObjectRef[];
}

export interface ChangedObject {
  readonly ref: ObjectRef;
  readonly fields: readonly FieldChange[];
  /** Number of changed fields beyond those that are listed. */
  readonly more: number;
}

export interface FieldChange {
  /** `spec.template.spec.containers[manager].image` */
  readonly path: string;
  /** The value as JSON, shortened, or the mask of a secret; absent if the field is added. */
  readonly from?: string;
  /** Absent if the field is removed. */
  readonly to?: string;
}

export interface KeptObject {
  readonly ref: ObjectRef;
  readonly message: string;
}

export interface Additions {
  readonly objects: readonly AddedObject[];
  /** Fields that the manifest leaves open and the manager sets, whenever the object is written. */
  readonly fields: readonly AddedField[];
  /** Fields that OLM left when the operator was taken over, and that the roll-out drops; absent if there are none. */
  readonly dropped?: readonly AddedField[];
}

/** An object that no bundle contains: the manager makes it for the bundle. */
export interface AddedObject {
  readonly ref: ObjectRef;
  readonly change: 'created' | 'changed' | 'deleted' | 'unchanged';
  /** `the certificate of Deployment.apps ops/manager` */
  readonly purpose: string;
}

export interface AddedField {
  readonly ref: ObjectRef;
  /** `webhooks[].clientConfig.caBundle` */
  readonly path: string;
  readonly purpose: string;
}

export interface RightsChange {
  /** Rights that the operator lacks today, the most dangerous first. */
  readonly gained: readonly OperatorRight[];
  readonly lost: readonly OperatorRight[];
}

export interface ImagesChange {
  readonly added: readonly PlannedImage[];
  readonly removed: readonly PlannedImage[];
}

export interface PlannedImage {
  /** As the manifest names it. */
  readonly image: string;
  /** Host of the registry; absent if the reference cannot be read. */
  readonly registry?: string;
  readonly digest?: string;
  /** The containers and variables that name it: `Deployment.apps ops/manager: containers[manager]`. */
  readonly usedBy: readonly string[];
}

export interface CrdChange {
  readonly crd: string;
  readonly change: 'created' | 'changed' | 'deleted';
  readonly versionsAdded: readonly string[];
  readonly versionsRemoved: readonly string[];
  /** The storage version before and after, if it changes. */
  readonly storage?: { readonly from: string; readonly to: string };
  /** The versions in which objects may be stored today. */
  readonly storedVersions: Known<readonly string[]>;
  readonly customResources: Known<number>;
  /** The rules of the CRD safety check that found something, the worst first; without findings that have no effect. */
  readonly findings: readonly CrdFinding[];
}

export interface WebhooksChange {
  readonly added: readonly PlannedWebhook[];
  readonly removed: readonly PlannedWebhook[];
}

export interface PlannedWebhook {
  /** `MutatingWebhookConfiguration.admissionregistration.k8s.io gadget: pods.gadget.example.com` */
  readonly name: string;
  readonly type: 'mutating' | 'validating' | 'conversion';
  /** The effect on requests while the webhook does not answer. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** `creates and updates of Pods` */
  readonly intercepts: string;
}

export interface DependenciesChange {
  /** Each as a sentence part: `package cert-manager in ">=1.0.0"`. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface Restart {
  readonly ref: ObjectRef;
  /** Whether all old Pods end before the first new one starts. */
  readonly withDowntime: boolean;
  readonly because: string;
}

export interface WayBack {
  readonly exists: boolean;
  /** The points of no return, if there are any. */
  readonly because: readonly string[];
}
