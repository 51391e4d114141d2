/** The input of a plan: the objects of both sides, and facts of the cluster as far as they are known. */
import type { CrdVerdict, Waiver } from '../apply/crd-safety/compare.ts';
import type { CustomResourcePolicy } from '../apply/plan-uninstall.ts';
import type { KubeObject } from '../api/object.ts';
import type { Property } from '../bundles/bundle.ts';
import type { AddedObject, KeptObject, PlannedVersion } from './model.ts';
import type { RightsRule } from './rights/rule.ts';

export interface PlanInput {
  readonly package: string;
  /** `namespace/name` of the Subscription. */
  readonly subscription: string;
  /** Absent for a first installation. */
  readonly from?: PlannedSide;
  /** Absent for an uninstall. */
  readonly to?: PlannedSide;
  /** The waivers of the CRD safety check that the Subscription has. */
  readonly waivers?: readonly Waiver[];
  /** With `None` no rule of the CRD safety check is enforced, as if each was waived. */
  readonly crdEnforcement?: 'Enforce' | 'None';
  /** Effect of an uninstall on custom resources; `Retain` by default. */
  readonly customResources?: CustomResourcePolicy;
  /** The ServiceAccount that applies the objects; absent: the manager itself does. */
  readonly account?: string;
  readonly facts?: PlanClusterFacts;
}

/** One side of a change: a version with its objects. */
export interface PlannedSide extends PlannedVersion {
  /** As {@link import('../apply/prepare.ts').prepareObjects} returns them. */
  readonly objects: readonly KubeObject[];
  /** Those that state requirements, as catalogs have them. */
  readonly properties: readonly Property[];
}

/** Facts of the cluster. An entry that is absent is not known; nothing is concluded from its absence. */
export interface PlanClusterFacts {
  /** Number of custom resources by name of the CRD, without those that the bundle brings. */
  readonly customResources?: ReadonlyMap<string, number>;
  /** `status.storedVersions` by name of the CRD. */
  readonly storedVersions?: ReadonlyMap<string, readonly string[]>;
  /** Verdicts by name of the CRD that take existing objects into account. */
  readonly verdicts?: ReadonlyMap<string, CrdVerdict>;
  /** Rules by name of ClusterRoles that are not part of the bundle. */
  readonly clusterRoles?: ReadonlyMap<string, readonly RightsRule[]>;
  /**
   * State of objects that the new version adds, by identity: `absent`; `ours`: it belongs to the Subscription or may be
   * adopted by it; else a description of its owner.
   */
  readonly existing?: ReadonlyMap<string, 'absent' | 'ours' | { readonly owner: string }>;
  /** Objects, by identity, that the new version adds and whose kind neither the cluster nor the bundle has. */
  readonly unserved?: ReadonlySet<string>;
  /** Fields by identity that OLM left on objects that change, and that the roll-out drops. */
  readonly formerFields?: ReadonlyMap<string, readonly string[]>;
  /** Whether the time to read the facts was over before all were read: those that are missing are not known. */
  readonly isCutShort?: boolean;
  /** Objects that an uninstall leaves, and why. */
  readonly kept?: readonly KeptObject[];
  /** Rights that OLM had given the operator before Slipway took it over: an uninstall deletes them, or leaves them. */
  readonly givenByOlm?: readonly AddedObject[];
}
