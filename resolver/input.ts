/** The input of a resolution: the wanted operator, the installed one, and the catalogs to choose from. */
import type { CatalogPackage, GroupVersionKind, Property } from '../catalog/model.ts';
import type { LabelSelector } from './selector.ts';

export interface ResolveInput {
  readonly wanted: Wanted;
  /** Absent for a first installation. */
  readonly installed?: Installed;
  /** The catalogs that the Subscription selects; others may be among them, marked by `selected: false`. */
  readonly catalogs: readonly CatalogSource[];
  /** Names or images of bundles that failed before. */
  readonly quarantined: readonly string[];
  /** Absent if the cluster is unknown; requirements that bundles have of it are not checked then. */
  readonly cluster?: ClusterFacts;
  /**
   * Whether the time is up by the clock. Effort is counted, so that equal questions end alike; the clock is for cases
   * that the count does not foresee.
   */
  readonly expired?: () => boolean;
}

/** The part of a Subscription's spec that decides which bundle it gets. */
export interface Wanted {
  readonly package: string;
  /** Absent: the package's default channel; `*`: any. */
  readonly channel?: string;
  /** A Masterminds range; absent: any version. */
  readonly version?: string;
  readonly edges: 'Follow' | 'Ignore';
  /** The only catalog to look in. */
  readonly catalog?: string;
  /** The selector by which `catalogs` were selected; an invalid one is refused. */
  readonly catalogSelector?: LabelSelector | undefined;
  readonly dependencies: 'Install' | 'Require' | 'Ignore';
}

export interface Installed {
  readonly bundle: string;
  readonly version: string;
  readonly release?: string;
  readonly catalog: string;
  /** The channel it was installed from; absent if that is unknown. */
  readonly channel?: string;
  /** By digest. */
  readonly image: string;
}

/** One catalog. `content` is called for as few packages as possible, and only while it is `Serving`. */
export interface CatalogSource {
  readonly name: string;
  readonly priority: number;
  /**
   * False if the Subscription does not select it. It is read only for advice, and for an operator installed from it.
   */
  readonly selected?: boolean;
  /**
   * Serving: it has content, fresh or not. Unavailable: it exists and has none yet. Missing: it does not exist.
   * NotAllowed: it may not be used here, and is given only if it is named or something is installed from it.
   */
  readonly state: 'Serving' | 'Unavailable' | 'Missing' | 'NotAllowed';
  /** Why it is not serving, or not allowed. */
  readonly message?: string;
  /**
   * Of one that is Unavailable: that its content was asked for and could not be read. Absent: it is about to be read, and
   * it is worth waiting for.
   */
  readonly unreadable?: boolean;
  readonly content: (name: string) => CatalogPackage | undefined;
  /** Names of packages with a bundle that provides a kind; absent: such a dependency finds nothing here. */
  readonly providersOf?: (kind: GroupVersionKind) => readonly string[];
  /** Names of all packages; asked only for a dependency in CEL that names none. */
  readonly packages?: () => readonly string[];
}

export interface ClusterFacts {
  readonly kubernetesVersion?: string;
  readonly openShiftVersion?: string;
  /** Kinds that the API server serves, from any source. */
  readonly providedKinds: readonly GroupVersionKind[];
  /** The installed packages of other Subscriptions. */
  readonly packages?: readonly InstalledPackage[];
  /** The packages that other Subscriptions are about to install for the first time, with their requirements. */
  readonly coming?: readonly InstalledPackage[];
  /**
   * The upgrades that other Subscriptions make by themselves, as far as they may need this package. They are planned when
   * this is called, which is only if the package may change; `expired` is that of the input. If the time is up meanwhile,
   * a way without steps stands for each that is not planned.
   */
  readonly ways?: (expired?: () => boolean) => readonly UpgradeWay[];
}

/** The bundles that a Subscription installs one after another without a person, with their requirements. */
export interface UpgradeWay {
  /** `namespace/name`. */
  readonly subscription: string;
  /** In order, as far as they are known. */
  readonly steps: readonly UpgradeStep[];
  /** The catalog from which the steps are about to be read. */
  readonly unread?: string;
  /** The reader may not know steps and catalog. */
  readonly hidden?: true;
}

export interface UpgradeStep {
  readonly bundle: string;
  readonly properties: readonly Property[];
}

export interface InstalledPackage extends Installed {
  readonly package: string;
  readonly properties: readonly Property[];
  /** Whether it was installed only as a dependency; it may then be upgraded for a dependent. */
  readonly dependency: boolean;
  /** `namespace/name`. */
  readonly subscription?: string;
  /**
   * False if the Subscription has no say here. Its package may be used; the package need not stay, is never upgraded
   * for a dependent, and another Subscription may install it a second time.
   */
  readonly holds?: boolean;
  /** The reader may know the Subscription alone: the package is not installed yet. */
  readonly hidden?: true;
  /** Those of `properties` that the reader may not know: a bundle that is not installed yet has them. */
  readonly hiddenNeeds?: readonly Property[];
  /** The bundle that is about to follow it, with the kinds that this one gives up, as `Kind.version.group`. */
  readonly next?: { readonly bundle: string; readonly givesUp: readonly string[] };
  /** Which upgrades its Subscription makes; absent: every one along the graph. */
  readonly limits?: UpgradeLimits;
}

/** What a Subscription says about the upgrades of its package. */
export interface UpgradeLimits extends Pick<Wanted, 'channel' | 'version'> {
  readonly suspended: boolean;
  /** Names or images of bundles that failed before. */
  readonly quarantined: readonly string[];
}
