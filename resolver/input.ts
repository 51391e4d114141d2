/** What a resolution is asked: what is wanted, what is installed, and what there is to choose from. */
import type { CatalogPackage, Property } from '../catalog/model.ts';
import type { LabelSelector } from './selector.ts';

export interface ResolveInput {
  readonly wanted: Wanted;
  /** Absent for a first installation. */
  readonly installed?: Installed;
  /** The catalogs that the Subscription selects; others may be among them, and are marked as such. */
  readonly catalogs: readonly CatalogSource[];
  /** Names or images of bundles that failed before. */
  readonly quarantined: readonly string[];
  /** Absent where nothing is known of the cluster; what bundles ask of it is then not checked. */
  readonly cluster?: ClusterFacts;
  /**
   * Whether it takes too long by the clock. Effort is counted, so that equal questions end alike; this is for what was
   * not foreseen.
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
  /** By what `catalogs` were selected; one that means nothing is refused. */
  readonly catalogSelector?: LabelSelector | undefined;
  readonly dependencies: 'Install' | 'Require' | 'Ignore';
}

export interface Installed {
  readonly bundle: string;
  readonly version: string;
  readonly release?: string;
  readonly catalog: string;
  /** From which it was installed; absent where that is not known. */
  readonly channel?: string;
  /** By digest. */
  readonly image: string;
}

/** One catalog. `content` is called for as few packages as possible, and only while it is `Serving`. */
export interface CatalogSource {
  readonly name: string;
  readonly priority: number;
  /** False: the Subscription does not select it. It is looked into only for advice, and for what is installed from it. */
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
  readonly providersOf?: (kind: Kind) => readonly string[];
  /** Names of all packages; asked only for a dependency in CEL that names none. */
  readonly packages?: () => readonly string[];
}

/** A kind of objects: `{ group: 'cert-manager.io', version: 'v1', kind: 'Issuer' }`. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface ClusterFacts {
  readonly kubernetesVersion?: string;
  readonly openShiftVersion?: string;
  /** Kinds that the API server serves, whoever brought them. */
  readonly providedKinds: readonly Kind[];
  /** What other Subscriptions have installed. */
  readonly packages?: readonly InstalledPackage[];
  /** What other Subscriptions are about to install for the first time, with what it needs. */
  readonly coming?: readonly InstalledPackage[];
}

export interface InstalledPackage extends Installed {
  readonly package: string;
  readonly properties: readonly Property[];
  /** Whether it was installed only because something depends on it: it may then be upgraded for a dependent. */
  readonly dependency: boolean;
  /** `namespace/name`. */
  readonly subscription?: string;
  /**
   * False: whose Subscription this is has no say in the matter. What is installed is there to be used; it need not stay,
   * is never upgraded for a dependent, and may be installed a second time by another Subscription.
   */
  readonly holds?: boolean;
}
