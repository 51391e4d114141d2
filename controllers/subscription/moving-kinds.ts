/**
 * Kinds that a package gives up in its next version, and that a dependency of this version brings. Only one package may
 * provide a kind, so the dependency can be installed once the package has gone on: it is requested, and not waited for. Pure.
 */
import type { Revision } from '../../api/revision.ts';
import { failedNames } from '../../api/same-bundle.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { CatalogBundle, Property } from '../../catalog/model.ts';
import type { DependencyStep } from '../../resolver/decision.ts';
import { directRequirements } from '../../resolver/dependencies/coming.ts';
import { providedKinds, takesPart } from '../../resolver/dependencies/requirements.ts';
import { serves } from '../../resolver/dependencies/serves.ts';
import { propertiesOf } from '../revision-properties.ts';
import { isInRange, ANY_CHANNEL } from './in-range.ts';
import { mayHold } from './trust.ts';

export interface PackageMove {
  readonly installed: Revision | undefined;
  readonly next: CatalogBundle;
}

/** The packages of the steps that come after `next`: those that bring such a kind, and those that need one of these now. */
export function comeAfter(steps: readonly DependencyStep[], move: PackageMove): ReadonlySet<string> {
  const givenUp = kindsGivenUp(move);
  const after = new Set(steps.filter(({ bundle }) => !givenUp.isDisjointFrom(kindsOf(bundle.properties))));
  // a circle has no order: until nothing is added
  for (const before = { size: 0 }; before.size < after.size;) {
    before.size = after.size;
    for (const step of steps) if (needsOneOf(step, after, move)) after.add(step);
  }
  return new Set([...after].map((step) => step.package));
}

/** Whether a step needs another one of these, for more than a kind that the installed version still provides. */
function needsOneOf(
  { bundle }: DependencyStep,
  after: ReadonlySet<DependencyStep>,
  { installed }: PackageMove,
): boolean {
  if (after.size === 0 || installed === undefined) return false;
  const present = { ...installed.spec, properties: propertiesOf(installed) };
  return directRequirements(bundle).some((need) =>
    takesPart(need, (part) => !serves(present, part) && [...after].some((step) => serves(step.bundle, part))),
  );
}

/** By group and name: a kind that only changes its versions is not given up. */
function kindsGivenUp({ installed, next }: PackageMove): ReadonlySet<string> {
  return kindsOf(installed === undefined ? [] : propertiesOf(installed)).difference(kindsOf(next.properties));
}

function kindsOf(properties: readonly Property[]): ReadonlySet<string> {
  return new Set(providedKinds(properties).map(({ group, kind }) => `${kind}.${group}`));
}

/**
 * Whether a Subscription makes a step by itself, and takes the CRDs up, once the package of `own` has gone on. If a person or a time
 * decides, or if it wants another bundle, the kinds would have no operator meanwhile.
 */
export function followsByItself(
  subscription: Subscription,
  { kind, bundle, catalog, channel }: DependencyStep,
  own: Subscription,
): boolean {
  const { spec, status } = subscription;
  const { approval, suspend, windows = [], upgradePolicy, catalogSelector } = spec;
  // the first installation waits for neither of the two
  const isTimely = kind === 'install' || (windows.length === 0 && upgradePolicy === undefined);
  const isFree = approval === 'Automatic' && !suspend && isTimely && catalogSelector === undefined;
  const isOffered =
    [undefined, catalog].includes(spec.catalog) && [undefined, ANY_CHANNEL, channel].includes(spec.channel);
  const failed = failedNames(status?.quarantined ?? [], undefined);
  const hasFailed = [bundle.name, bundle.image].some((one) => failed.includes(one));
  const hasSameRights = mayHold(subscription, own) && mayHold(own, subscription);
  return isFree && isOffered && hasSameRights && isInRange(subscription, { spec: bundle }) && !hasFailed;
}
