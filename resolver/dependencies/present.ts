/** Describes the cluster as it is before the plan: the installed packages, and the kinds that the API server serves. */
import type { ClusterFacts, InstalledPackage } from '../input.ts';
import type { PlanningMemory } from './memory.ts';
import type { Option } from './model.ts';
import { currentOption } from './options.ts';
import { kindKey, type Requirement } from './requirements.ts';

export interface Present {
  /** The installed packages, without the root's. */
  readonly installed: ReadonlyMap<string, InstalledPackage>;
  /** The installed option of each package; that of the root's package is among them. */
  readonly current: ReadonlyMap<string, Option>;
  /**
   * Packages of Subscriptions that have no say here: their installed options, by package. A plan may use them, but
   * never changes them.
   */
  readonly guests: ReadonlyMap<string, readonly Option[]>;
  /** Names of the guest packages that provide a kind. */
  readonly guestsWith: (kind: string) => readonly string[];
  /** Kinds that the API server serves and that no installed package provides. */
  readonly servedKinds: ReadonlySet<string>;
  /** Whether the API server serves the kind that a requirement names, whatever the plan. */
  readonly isServed: (requirement: Requirement) => boolean;
  /** Whether an option that no plan changes meets a requirement that is not made of parts. */
  readonly isMetForGood: (requirement: Requirement) => boolean;
  /** Whether the cluster, as it is now, meets a requirement. */
  readonly isMetNow: (requirement: Requirement) => boolean;
}

/** The facts about a cluster as they concern a plan for the package `name`. */
export function describePresent(cluster: ClusterFacts, name: string, memory: PlanningMemory): Present {
  const packages = (cluster.packages ?? []).filter(({ holds }) => holds !== false);
  const guests = readGuests(cluster, name);
  const current = new Map(packages.map((one) => [one.package, currentOption(one)]));
  const installed = new Map(packages.filter((one) => one.package !== name).map((one) => [one.package, one]));
  const staying = new Map([...current].filter(([other]) => installed.get(other)?.dependency === false));
  const managed = new Set(current.values().flatMap(({ kinds }) => kinds));
  const servedKinds = new Set(cluster.providedKinds.map(kindKey).filter((key) => !managed.has(key)));

  function guestsWith(kind: string): readonly string[] {
    return [...guests].filter(([, options]) => options.some(({ kinds }) => kinds.has(kind))).map(([other]) => other);
  }

  function isMetByGuest(requirement: Requirement): boolean {
    if (requirement.kind === 'gvk') return guestsWith(kindKey(requirement.gvk)).length > 0;
    if (requirement.kind !== 'package') return false;
    return guests.get(requirement.package)?.some((option) => memory.isMetBy(option, requirement)) === true;
  }

  function isServed(requirement: Requirement): boolean {
    return requirement.kind === 'gvk' && servedKinds.has(kindKey(requirement.gvk));
  }

  function isMetAmong(options: ReadonlyMap<string, Option>, requirement: Requirement): boolean {
    if (requirement.kind !== 'package') return options.values().some((option) => memory.isMetBy(option, requirement));
    const option = options.get(requirement.package);
    return option !== undefined && memory.isMetBy(option, requirement);
  }

  function isMetNow(requirement: Requirement): boolean {
    switch (requirement.kind) {
      case 'all':
        return requirement.of.every(isMetNow);
      case 'any':
        return requirement.of.some(isMetNow);
      case 'not':
        return !requirement.of.some(isMetNow);
      default:
        return isServed(requirement) || isMetAmong(current, requirement) || isMetByGuest(requirement);
    }
  }

  return {
    installed,
    current,
    guests,
    guestsWith,
    servedKinds,
    isServed,
    isMetForGood: (requirement) => isMetAmong(staying, requirement) || isMetByGuest(requirement),
    isMetNow,
  };
}

function readGuests({ packages = [] }: ClusterFacts, name: string): ReadonlyMap<string, readonly Option[]> {
  const guests = packages.filter((one) => one.holds === false && one.package !== name);
  const grouped = Map.groupBy(guests, (one) => one.package);
  return new Map([...grouped].map(([other, all]) => [other, all.map(currentOption)]));
}
