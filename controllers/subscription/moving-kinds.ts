/**
 * Kinds that a package gives up in its next version, and that a dependency of this version brings. Only one package may
 * provide a kind, so the dependency can be installed once the package has gone on: it is requested, and not waited for. Pure.
 */
import type { Revision } from '../../api/revision.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import type { DependencyStep } from '../../resolver/decision.ts';
import { kindKey, providedKinds } from '../../resolver/dependencies/requirements.ts';
import { propertiesOf } from '../revision-properties.ts';

/** The packages of the steps that come after `next`: those that bring such a kind, and those that need one of these. */
export function comeAfter(
  steps: readonly DependencyStep[],
  { installed, next }: { readonly installed: Revision | undefined; readonly next: CatalogBundle },
): ReadonlySet<string> {
  const givenUp = kindsOf(installed === undefined ? [] : propertiesOf(installed)).difference(kindsOf(next.properties));
  const after = new Set<string>();
  // in the order of the installation: a step stands behind those that it needs
  for (const step of steps) {
    const brings = !givenUp.isDisjointFrom(kindsOf(step.bundle.properties));
    const needs = steps.some((one) => after.has(one.package) && one.neededBy.includes(step.package));
    if (brings || needs) after.add(step.package);
  }
  return after;
}

function kindsOf(properties: CatalogBundle['properties']): ReadonlySet<string> {
  return new Set(providedKinds(properties).map(kindKey));
}
