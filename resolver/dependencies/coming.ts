/**
 * Keeps a bundle that others wait for within what they need: a dependency is installed for its dependents, so a
 * version that does not serve them is no candidate, although nothing that is installed needs it yet.
 */
import type { CatalogBundle } from '../../catalog/model.ts';
import type { Cause } from '../decision.ts';
import type { InstalledPackage } from '../input.ts';
import { needOf, parseRequirements, type Requirement } from './requirements.ts';
import { serves } from './serves.ts';

/** Why a bundle does not serve what is about to be installed; undefined where it does, or is not asked to. */
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

/** What a package needs in any case; where there is a choice, the plan of the dependent has made it. */
export function directRequirements({ properties }: InstalledPackage): readonly Requirement[] {
  const parsed = parseRequirements(properties);
  return parsed.ok ? parsed.value.flatMap(flatten) : [];
}

function flatten(requirement: Requirement): readonly Requirement[] {
  if (requirement.kind === 'all') return requirement.of.flatMap(flatten);
  return 'of' in requirement ? [] : [requirement];
}

/** Who provides a kind, or meets a rule, is found by a search; only a package is asked for by name. */
function isAboutPackage(requirement: Requirement, name: string): boolean {
  return requirement.kind === 'package' && requirement.package === name;
}
