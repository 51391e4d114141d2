/**
 * Checks a bundle against the packages that wait for it: a dependency is installed for its dependents, so a version
 * that does not meet their requirements is no candidate, although no installed package needs it yet. On the way from an
 * installed version to one that meets them (open-ways.ts) it may cross others.
 */
import type { CatalogBundle } from '../../catalog/model.ts';
import type { Cause } from '../decision.ts';
import type { ClusterFacts, Installed, InstalledPackage } from '../input.ts';
import { needOf, parseRequirements, type Requirement } from './requirements.ts';
import { serves } from './serves.ts';

interface Dependents extends Required<Pick<ClusterFacts, 'coming' | 'packages'>> {
  /** Absent if no version is installed. */
  readonly installed?: Pick<Installed, 'version' | 'release'> | undefined;
}

/**
 * Why a bundle does not meet a requirement of a package that is about to be installed; undefined if it meets them all,
 * except those that the installed version does not meet either.
 */
export function failsDependents(bundle: CatalogBundle, { coming, packages, installed }: Dependents): Cause | undefined {
  const others = packages.filter((one) => one.package !== bundle.package);
  for (const dependent of coming.filter((one) => one.package !== bundle.package)) {
    const failed = directRequirements(dependent).find(
      (need) =>
        isAboutPackage(need, bundle.package) &&
        !serves(bundle, need) &&
        !others.some((one) => serves(one, need)) &&
        (installed === undefined || serves({ ...bundle, ...installed }, need)),
    );
    if (failed === undefined) continue;
    if (dependent.hidden === true && dependent.subscription !== undefined)
      return { kind: 'dependency', because: [{ kind: 'hiddenWay', subscription: dependent.subscription }] };
    const requires = {
      kind: 'requires',
      package: dependent.package,
      bundles: [dependent.bundle],
      need: needOf(failed),
      offered: [],
    } as const;
    return { kind: 'dependency', because: [requires] };
  }
  return undefined;
}

/** The unconditional requirements of a package. If it has a choice, its own plan has made it. */
export function directRequirements({ properties }: Pick<InstalledPackage, 'properties'>): readonly Requirement[] {
  const parsed = parseRequirements(properties);
  return parsed.ok ? parsed.value.flatMap(flatten) : [];
}

function flatten(requirement: Requirement): readonly Requirement[] {
  if (requirement.kind === 'all') return requirement.of.flatMap(flatten);
  return 'of' in requirement ? [] : [requirement];
}

/** Whether a requirement names a package. The provider of a kind, or of a rule, is found by a search instead. */
function isAboutPackage(requirement: Requirement, name: string): boolean {
  return requirement.kind === 'package' && requirement.package === name;
}
