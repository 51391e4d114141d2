/**
 * The words in which dependencies are planned: the options of a package, the packages that can matter for one bundle,
 * and the universe that these form. Data and interfaces only; every other file of the folder may import this one.
 */
import type { CatalogBundle, Property } from '../../catalog/model.ts';
import type { Cause } from '../decision.ts';
import type { CatalogSource, ClusterFacts, InstalledPackage } from '../input.ts';
import type { PathStep } from '../paths.ts';
import type { BundleVersion, Parsed } from '../version.ts';
import type { Requirement } from './requirements.ts';

/** The bundle whose dependencies are planned. */
export interface Root {
  readonly package: string;
  readonly catalog: string;
  readonly bundle: CatalogBundle;
}

/** The facts that rule bundles out. */
export interface BundleExclusions {
  readonly cluster: ClusterFacts;
  /** Names or images. */
  readonly quarantined: ReadonlySet<string>;
}

/** The question that a plan answers. */
export interface DependencyQuestion extends BundleExclusions {
  readonly root: Root;
  /** Catalogs that dependencies may come from, in any order; sources.ts orders them. */
  readonly catalogs: readonly CatalogSource[];
}

/** One bundle that is installed for a package, or that could be. */
export interface Option {
  readonly package: string;
  readonly name: string;
  readonly text: string;
  readonly version: BundleVersion | undefined;
  readonly catalog: string;
  readonly channel: string;
  /** Absent for the installed bundle, and for a package that has not been read. */
  readonly bundle: CatalogBundle | undefined;
  readonly properties: readonly Property[];
  readonly kinds: ReadonlySet<string>;
  /** Why no plan may use the option, whatever depends on it. */
  readonly barred: Cause | undefined;
  /** The way from the installed bundle; undefined if the package is not to be upgraded along its graph. */
  readonly way: PathStep | undefined;
  /** Whether the Subscription of the installed bundle goes to the option. */
  readonly reachable: boolean;
  /** Set for an option that stands for all bundles of a package of which only the name is known. */
  readonly unread?: true;
}

/** A package with its options, the preferred first. An installed package starts with its installed option. */
export interface PackageNode {
  readonly name: string;
  readonly options: readonly Option[];
  readonly installed: InstalledPackage | undefined;
  /** Options that something in the universe could use. */
  readonly active: ReadonlySet<Option>;
}

/** The part of the catalogs and of the cluster that can matter for one bundle. */
export interface Universe {
  readonly root: Option;
  /** In the order in which the search met the packages, breadth first. */
  readonly packages: ReadonlyMap<string, PackageNode>;
  /** The installed option of each package; that of the root's package is among them. */
  readonly current: ReadonlyMap<string, Option>;
  /** Kinds that the API server serves and that no installed package provides. */
  readonly servedKinds: ReadonlySet<string>;
  /** Whether the cluster, as it is now, meets a requirement. */
  readonly isMetNow: (requirement: Requirement) => boolean;
  /** The requirements of an option. */
  readonly requirementsOf: (option: Option) => Parsed<readonly Requirement[]>;
  /**
   * Active options that meet one requirement that is not made of parts; with `perhaps`, also unread options, which may
   * or may not meet it.
   */
  readonly matching: (requirement: Requirement, perhaps: boolean) => readonly Option[];
  /** Whether one option alone meets a requirement that is not made of parts. */
  readonly isMetBy: (option: Option, requirement: Requirement) => boolean;
  /** Whether the universe has everything that could be part of an explanation. */
  readonly isThorough: () => boolean;
  /**
   * Reads packages that are known by name only, and everything that they depend on; false if that exceeds the effort.
   */
  readonly read: (names: readonly string[]) => boolean;
}

/** How far a plan may go: `Install` may install and upgrade dependencies, `Require` needs them to be there already. */
export type Policy = 'Install' | 'Require';
