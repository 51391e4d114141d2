/**
 * What a view needs beyond the watched objects: pure data, which the server carries out with the rights of the person,
 * and nothing else. A read that fails is part of the answer; it never fails the view. Each answer has the place of its question.
 */
import type { CustomResourceCounts } from '../../apply/custom-resources.ts';
import type { InventoryEntry } from '../../apply/inventory.ts';
import type { KubeObject, ObjectRef } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { OpenHandOver } from '../../adoption/open-hand-overs.ts';
import type { JudgedGiven } from '../../report/uninstall-preview.ts';
import type { CatalogListing, ContentAsk, PackageContent } from './content.ts';
import type { StoredPlan } from '../../plan/stored-plan.ts';

export type { ContentAsk } from './content.ts';

export interface Ask {
  /** SelfSubjectAccessReviews; may be remembered for up to 30 s. */
  readonly access?: readonly AccessQuestion[];
  /** `get` of single objects. */
  readonly objects?: readonly ObjectAsk[];
  /** Custom resources of the CRDs of an inventory: `countCustomResources` with a client of the person. */
  readonly customResources?: CustomResourcesAsk;
  /** The rights that OLM had given the operator of a Subscription, by the backup of its hand-over, as an uninstall judges them. */
  readonly givenByOlm?: Subscription;
  /**
   * The Secret of type `slipway.dev/plan` with a whole plan: key `plan`, gzipped JSON of a {@link StoredPlan}. One of
   * another type, or that the Revision of this uid does not own, or whose bytes have another digest, fails; unpacked it
   * has at most 4 MiB.
   */
  readonly plan?: PlanAsk;
  /** Content of Catalogs. */
  readonly content?: ContentAsk;
  /** `GET /version`, and the manager's Deployment `slipway-manager` in `systemNamespace`. */
  readonly versions?: true;
}

export interface PlanAsk {
  readonly namespace: string;
  readonly secret: string;
  readonly revisionUid: string;
  /** `sha256:…` of the packed bytes, as the manager has recorded it. */
  readonly digest: string;
}

/** A right that the person may have. `group` is empty for the core group. */
export interface AccessQuestion {
  readonly verb: string;
  readonly group: string;
  /** The plural of paths. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface ObjectAsk {
  readonly ref: ObjectRef;
  /**
   * Of a Deployment: its ReplicaSets and Pods by its selector, and the last `tail` lines (at most 64 KiB) of each
   * container of the Pods that `podsInTrouble` (pods.ts) names, of the run that it names.
   */
  readonly pods?: { readonly tail: number };
}

export interface CustomResourcesAsk {
  readonly owner: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly inventory: readonly InventoryEntry[];
}

/** The answer to one question: the value, or why there is none. */
export type Answer<Value> = { readonly value: Value } | { readonly failure: Failure };

export interface Failure {
  /** A word of the list of reasons: `Forbidden`, `CatalogUnavailable`, … */
  readonly reason: string;
  readonly message: string;
}

/** An object as it was read. */
export interface ReadObject {
  /** Absent if it does not exist. */
  readonly object?: KubeObject;
  readonly replicaSets?: readonly KubeObject[];
  readonly pods?: readonly KubeObject[];
  readonly logs?: readonly ReadLog[];
  /** Why ReplicaSets and Pods could not be read. */
  readonly podsFailure?: string;
}

export interface ReadLog {
  readonly pod: string;
  readonly container: string;
  readonly run: 'current' | 'previous';
  /** As the container wrote it; absent if it could not be read. */
  readonly text?: string;
  readonly failure?: string;
}

/** The answers; a field is absent as long as its question was not asked. */
export interface Asked {
  /** In the order of the questions; undefined if the review could not be made. */
  readonly access?: readonly (boolean | undefined)[];
  readonly objects?: readonly Answer<ReadObject>[];
  readonly customResources?: Answer<CustomResourceCounts>;
  /** With the hand-overs whose backups say that they have not ended, if there are any. */
  readonly givenByOlm?: Answer<JudgedGiven & { readonly begun?: readonly OpenHandOver[] }>;
  readonly plan?: Answer<StoredPlan>;
  /** By name of the Catalog, for `kind: 'listing'`. */
  readonly listings?: ReadonlyMap<string, Answer<CatalogListing>>;
  /** By name of the Catalog, for `kind: 'package'`; undefined value: the Catalog does not have the package. */
  readonly packages?: ReadonlyMap<string, Answer<PackageContent | undefined>>;
  readonly versions?: Answer<ReadVersions>;
}

export interface ReadVersions {
  /** `gitVersion` of the API server. */
  readonly kubernetes: string;
  /** Absent if it does not exist or may not be read. */
  readonly manager?: KubeObject;
  /** Version of the console. */
  readonly console: string;
}
