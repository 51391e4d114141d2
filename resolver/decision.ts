/**
 * The result of a resolution as data. Conditions, events, the list of refused bundles, `slipway why` and `why-not` are
 * all written from it. A refusal is a result like any other. explain.ts makes the sentences.
 */
import type { Reason } from '../api/reasons.ts';
import type { CatalogBundle, GroupVersionKind } from '../catalog/model.ts';
import type { Need } from './dependencies/requirements.ts';
import type { InstalledPackage } from './input.ts';
import type { Hop } from './paths.ts';

/**
 * Both kinds have `inUse`, about the installed bundle. It is empty if the catalogs state nothing of that, and absent if
 * nothing is installed or no catalog knows the installed bundle.
 */
export type Decision = Choice | Refusal;

export interface Choice {
  /** Stay, install for the first time, or go on to another bundle. */
  readonly kind: 'upToDate' | 'install' | 'upgrade';
  /** The bundle at the end of the path. */
  readonly bundle: CatalogBundle;
  /** The bundle to install now: the first hop, or the installed bundle itself if nothing is to be done. */
  readonly next: CatalogBundle;
  readonly catalog: string;
  /** Channel of `next`. */
  readonly channel: string;
  /** Hops that remain, `next` first. */
  readonly path: readonly Hop[];
  /** The head of the channel, wherever the path ends; of several channels the highest. */
  readonly head: CatalogBundle | undefined;
  /** The deprecations of `next`. */
  readonly deprecations: Deprecations;
  /** Set if the cluster has reached the last version of OpenShift that `next` supports. */
  readonly openShift?: OpenShiftLimit;
  /** Present if the operator moves from its catalog of origin to another one. */
  readonly catalogChange?: CatalogChange;
  /** Name of the bundle that is installed; absent for a first installation. */
  readonly installed?: string;
  /**
   * Set if the catalog has the installed bundle with another content, which is refused (cause `publishedAgain`): `next` has the
   * image and the version that are installed, but the properties of the refused content.
   */
  readonly keepsContent?: true;
  /** Whether `next` is lower than the installed bundle; possible with `edges: Ignore` only. */
  readonly downgrade: boolean;
  /** The packages to install or upgrade before `next`, in this order. */
  readonly dependencies: readonly DependencyStep[];
  /** Every other bundle of the package, the highest first, with the cause of its refusal. */
  readonly refused: readonly RefusedCandidate[];
  readonly inUse?: InUse;
}

/** The deprecations of the installed bundle, and its limit. */
export interface InUse extends Deprecations {
  /** Set if the cluster has reached the last version of OpenShift that it supports. */
  readonly openShift?: OpenShiftLimit;
}

export interface OpenShiftLimit {
  /** The last minor version that the bundle supports. */
  readonly upTo: string;
  readonly has: string;
}

/** A move to another catalog, and why it is made. */
export interface CatalogChange {
  readonly from: string;
  readonly to: string;
  /**
   * `named`: the spec names the other catalog. `notSelected`: the spec does not select the catalog of origin.
   * `lacking`: that catalog lacks the package. `gone`: that catalog does not exist any more.
   */
  readonly why: 'named' | 'notSelected' | 'lacking' | 'gone';
}

/** Something that has to be there before `next`. */
export interface DependencyStep {
  readonly kind: 'install' | 'upgrade';
  readonly package: string;
  readonly bundle: CatalogBundle;
  readonly catalog: string;
  readonly channel: string;
  /** Hops from the installed bundle, the last one to `bundle`; empty for an installation. */
  readonly path: readonly Hop[];
  /** Packages that need it, of those that are installed along with it. */
  readonly neededBy: readonly string[];
  /** Catalogs of the same priority that have the package too: only their names decide that they come later. */
  readonly tiedWith?: readonly string[];
}

/** Messages of a catalog about a package, a channel and a bundle. */
export interface Deprecations {
  readonly package?: string;
  readonly channel?: string;
  readonly bundle?: string;
}

export interface Refusal {
  readonly kind: 'none';
  readonly reason: Reason;
  /** The smallest set of facts that cannot hold together: without any one of them there would be an answer. */
  readonly because: readonly Conflict[];
  /** Changes that would help, the smallest first. */
  readonly suggestions: readonly Suggestion[];
  readonly refused: readonly RefusedCandidate[];
  readonly inUse?: InUse;
}

export interface RefusedCandidate {
  readonly bundle: string;
  readonly version: string;
  readonly catalog: string;
  readonly cause: Cause;
}

/** Why one bundle is not chosen. */
export type Cause =
  | { readonly kind: 'invalidVersion'; readonly problem: string }
  | { readonly kind: 'otherChannel'; readonly channels: readonly string[] }
  | { readonly kind: 'outOfRange'; readonly range: string }
  | { readonly kind: 'quarantined' }
  | { readonly kind: 'kubernetesTooOld'; readonly needs: string; readonly has: string }
  | { readonly kind: 'requirementInvalid'; readonly problem: string }
  | { readonly kind: 'dependency'; readonly because: readonly Conflict[] }
  | { readonly kind: 'noPath'; readonly from: string }
  /** Edges lead to it, but only over bundles that may not be stepped on. */
  | { readonly kind: 'wayBarred'; readonly from: string; readonly over: readonly RefusedCandidate[] }
  | { readonly kind: 'downgrade'; readonly from: string }
  | { readonly kind: 'deprecated'; readonly message: string }
  | { readonly kind: 'notHead'; readonly head: string }
  | { readonly kind: 'lower'; readonly than: string }
  /** The catalog has the installed bundle with another content; `cause` rules that content out. */
  | { readonly kind: 'publishedAgain'; readonly cause: Cause }
  | { readonly kind: 'otherCatalog'; readonly catalog: string; readonly why: 'priority' | 'identical' | 'deprecated' };

/** A fact that takes part in a "no". */
export type Conflict =
  | { readonly kind: 'selector'; readonly problem: string }
  | {
      readonly kind: 'version';
      readonly range: string;
      readonly problem?: string;
      /** The versions that there are, the highest first, where none is in the range. */
      readonly offered?: readonly string[];
    }
  | {
      readonly kind: 'channel';
      readonly channel: string;
      readonly byDefault: boolean;
      readonly exists: boolean;
      readonly channels: readonly string[];
    }
  | {
      readonly kind: 'edges';
      readonly installed: string;
      readonly version: string;
      readonly known: boolean;
      readonly lowerOnly: boolean;
      /** The channel whose edges count, if the channel is one of the facts. */
      readonly channel?: string;
      /** The bundles that its edges lead to when no other rule counts, the highest version first. */
      readonly reaches: readonly string[];
      /** If edges lead to a suitable bundle: that bundle, and the bundles on the way to it. */
      readonly barredWay?: { readonly to: string; readonly over: readonly string[] };
      /** What else could be chosen says by a skipRange what it follows, and that does not include what is installed. */
      readonly skipRanges?: readonly SkipRangeAtFault[];
    }
  /**
   * The catalog no longer has the installed bundle, or not in its default channel, if that is named; and every bundle that it
   * offers there is lower.
   */
  | { readonly kind: 'downgrade'; readonly installed: string; readonly version: string; readonly channel?: string }
  | { readonly kind: 'quarantined'; readonly bundles: readonly string[] }
  | { readonly kind: 'cluster'; readonly causes: readonly RefusedCandidate[] }
  /** The dependencies of a bundle; `problem` is set if they cannot be parsed. */
  | {
      readonly kind: 'dependency';
      readonly bundle: string;
      readonly because: readonly Conflict[];
      readonly problem?: string;
    }
  | { readonly kind: 'package'; readonly package: string; readonly catalogs: readonly string[] }
  /** No bundle can be installed; `problem` is that of the first one whose version cannot be read. */
  | {
      readonly kind: 'noBundles';
      readonly package: string;
      readonly catalogs: readonly string[];
      readonly problem?: string;
    }
  | {
      readonly kind: 'catalog';
      readonly catalog: string;
      readonly state: 'Unavailable' | 'Missing' | 'NotAllowed';
      readonly message?: string;
      /** `mayHave`: no other has the package, and this one could not be read. */
      readonly role: 'only' | 'origin' | 'precedence' | 'one' | 'mayHave';
    }
  /** Bundles of a package need something; `offered` are all versions of it in the catalogs, in the range or not. */
  | {
      readonly kind: 'requires';
      readonly package: string;
      readonly bundles: readonly string[];
      readonly need: Need;
      readonly offered: readonly string[];
    }
  /** A package is installed and is not to be changed, or not beyond its graph and the spec of its Subscription. */
  | {
      readonly kind: 'keeps';
      readonly package: string;
      readonly bundle: string;
      readonly version: string;
      readonly subscription?: string;
      readonly movable: boolean;
      readonly suspended?: true;
      readonly next?: InstalledPackage['next'];
    }
  /** Only one package may provide a kind. */
  | { readonly kind: 'provider'; readonly gvk: GroupVersionKind; readonly packages: readonly string[] }
  /** Bundles that could serve may not be taken. */
  | { readonly kind: 'barred'; readonly package: string; readonly causes: readonly RefusedCandidate[] }
  /** The spec says that dependencies must be there already. */
  | { readonly kind: 'mustBeThere' }
  /** Another Subscription goes to a bundle over a step that could not be made any more after `bundle`. */
  | {
      readonly kind: 'way';
      readonly subscription: string;
      readonly to: string;
      readonly step: string;
      readonly need: Need;
      readonly bundle: string;
    }
  /** The same, or a bundle that another Subscription is about to install, if the reader may know only that Subscription. */
  | { readonly kind: 'hiddenWay'; readonly subscription: string }
  /** The search reached its limit. */
  | { readonly kind: 'effort'; readonly why: 'tooLarge' | 'tooLong' }
  | {
      readonly kind: 'ambiguous';
      readonly priority: number;
      readonly offers: readonly { readonly catalog: string; readonly bundle: string; readonly version: string }[];
    };

/** A skipRange that does not let a bundle follow what is installed. */
export interface SkipRangeAtFault {
  readonly bundle: string;
  readonly range: string;
  /** Why it cannot be parsed, in which case it has no effect. */
  readonly problem?: string;
}

/** A change that would make a choice possible. `stays` is set if that choice is to stay with the installed bundle. */
export type Suggestion =
  /** Correct the catalog selector: no label can match it. */
  | { readonly change: 'selector' }
  | { readonly change: 'channel'; readonly channel: string; readonly gives: string; readonly stays?: boolean }
  | { readonly change: 'version'; readonly version: string; readonly stays?: boolean }
  /** Remove the version: the version of the bundle cannot be parsed, so that no range includes it. */
  | { readonly change: 'anyVersion'; readonly gives: string; readonly stays?: boolean }
  | { readonly change: 'edges'; readonly gives: string; readonly lower: boolean }
  /** For the author of the catalog: let an entry of a channel accept the installed bundle. */
  | { readonly change: 'edge'; readonly channel: string; readonly into: string; readonly from: string }
  | { readonly change: 'release'; readonly bundles: readonly string[] }
  /** Name another catalog; `insteadOfSelector` is set if the spec selects by labels. */
  | {
      readonly change: 'catalog';
      readonly catalogs: readonly string[];
      readonly gives?: string;
      readonly insteadOfSelector?: boolean;
      readonly stays?: boolean;
    }
  /** Create a catalog: the resolver has none to search. */
  | { readonly change: 'anyCatalog' }
  /** Wait for a catalog that has no content yet; `unreadable`: see why it cannot be read, as it may have an answer. */
  | { readonly change: 'wait'; readonly catalog: string; readonly unreadable?: boolean }
  /** Ask for a package that there is, and whose name is like what was asked for; the nearest first. */
  | { readonly change: 'package'; readonly packages: readonly string[] }
  /** Write a range that can be parsed; `offered` are the versions that there are, the highest first. */
  | { readonly change: 'range'; readonly offered: readonly string[] }
  /** Name a lower version. */
  | { readonly change: 'goDown'; readonly version: string }
  /** No single change helps, but these do together. */
  | { readonly change: 'together'; readonly of: readonly Suggestion[] }
  /** Leave less to search. */
  | { readonly change: 'narrow' }
  /** Let dependencies be installed. */
  | { readonly change: 'dependencies' }
  /** Bring another package to a version that is needed. */
  | {
      readonly change: 'otherPackage';
      readonly package: string;
      readonly range: string;
      readonly subscription?: string;
    }
  /** Uninstall another package, which is in the way. */
  | { readonly change: 'removePackage'; readonly package: string; readonly subscription?: string }
  /** Wait until another package has gone on to a bundle that is not in the way. */
  | {
      readonly change: 'awaitPackage';
      readonly package: string;
      readonly bundle: string;
      readonly subscription?: string;
    }
  /** Install the bundle without its dependencies. */
  | { readonly change: 'ignoreDependencies'; readonly bundle: string }
  /** Bring the cluster to a version that is needed. */
  | { readonly change: 'cluster'; readonly kubernetes: string }
  /** Add a catalog that offers what the selected ones lack. */
  | { readonly change: 'offer'; readonly need: Need };
