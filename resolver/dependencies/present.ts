/** What is there now, whatever is decided: packages that are installed, kinds that the cluster serves. */
import type { ClusterFacts, InstalledPackage } from '../input.ts';
import { isMetBy, type Known } from './known.ts';
import { currentOption, type Option } from './options.ts';
import { kindKey, type Requirement } from './requirements.ts';

export interface Present {
  /** Other packages than the one that is asked about. */
  readonly installed: ReadonlyMap<string, InstalledPackage>;
  /** What is installed, by package; of the package that is asked about, too. */
  readonly current: ReadonlyMap<string, Option>;
  /** Of packages that are installed by Subscriptions without a say here: what is there to be used, by package. */
  readonly guests: ReadonlyMap<string, readonly Option[]>;
  /** Names of those that provide a kind. */
  readonly guestsWith: (kind: string) => readonly string[];
  /** Kinds that the cluster has, whatever is decided. */
  readonly servedKinds: ReadonlySet<string>;
  readonly isServed: (requirement: Requirement) => boolean;
  /** Whether something meets a requirement that is not made of parts, and is not changed for any plan. */
  readonly isMetForGood: (requirement: Requirement) => boolean;
  /** Whether what is installed now meets a requirement. */
  readonly isMetNow: (requirement: Requirement) => boolean;
}

/** The facts about a cluster, as a plan for one package sees them. */
export function describePresent(cluster: ClusterFacts, name: string, known: Known): Present {
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
    return guests.get(requirement.package)?.some((option) => isMetBy(option, requirement, known)) === true;
  }

  function isServed(requirement: Requirement): boolean {
    return requirement.kind === 'gvk' && servedKinds.has(kindKey(requirement.gvk));
  }

  function isMetAmong(options: ReadonlyMap<string, Option>, requirement: Requirement): boolean {
    if (requirement.kind !== 'package') return options.values().some((option) => isMetBy(option, requirement, known));
    const option = options.get(requirement.package);
    return option !== undefined && isMetBy(option, requirement, known);
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
