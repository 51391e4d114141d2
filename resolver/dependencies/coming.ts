/**
 * Checks a bundle against the packages that wait for it: a dependency is installed for its dependents, so a version
 * that does not meet their requirements is no candidate, although no installed package needs it yet.
 */
import type { CatalogBundle } from '../../catalog/model.ts';
import type { Cause } from '../decision.ts';
import type { InstalledPackage } from '../input.ts';
import { needOf, parseRequirements, type Requirement } from './requirements.ts';
import { serves } from './serves.ts';

/**
 * Why a bundle does not meet a requirement of a package that is about to be installed; undefined if it meets them all.
 */
export function failsDependents(
  bundle: CatalogBundle,
  {
    coming,
    packages,
  }: { readonly coming: readonly InstalledPackage[]; readonly packages: readonly InstalledPackage[] },
): Cause | undefined {
  const others = packages.filter((one) => one.package !== bundle.package);
  for (const dependent of coming.filter((one) => one.package !== bundle.package)) {
    const failed = directRequirements(dependent).find(
      (need) =>
        isAboutPackage(need, bundle.package) && !serves(bundle, need) && !others.some((one) => serves(one, need)),
    );
    if (failed === undefined) continue;
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
export function directRequirements({ properties }: InstalledPackage): readonly Requirement[] {
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
