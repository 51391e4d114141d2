/**
 * Which requirements of Subscriptions that may not hold this one back a bundle does not meet (trust.ts): an event on
 * both sides reports it. Pure.
 */
import { redact } from '../../api/errors.ts';
import { keyOfObject } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import { directRequirements } from '../../resolver/dependencies/coming.ts';
import { kindKey } from '../../resolver/dependencies/requirements.ts';
import { serves } from '../../resolver/dependencies/serves.ts';
import type { InstalledPackage } from '../../resolver/input.ts';
import type { EventFacts } from '../events.ts';
import { describeComing, describePackage } from './neighbours.ts';
import type { SubscriptionFacts } from './observe.ts';
import { mayHold } from './trust.ts';

/** A Subscription whose bundle needs another version or kind of the package. */
export interface Overruled {
  readonly subscription: Subscription;
  /** The bundle that it has, or is about to install. */
  readonly bundle: string;
  /** `store in "<1.5.0"`, or a kind. */
  readonly need: string;
}

/** The most Subscriptions that get an event for one decision: tenants may create any number of them. */
const MOST = 10;

/**
 * The Subscriptions that may not hold this one back and whose needs the bundle does not meet, by namespace and name; a
 * need for a kind counts only if the installed version meets it.
 */
export function findOverruled(facts: SubscriptionFacts, bundle: CatalogBundle): readonly Overruled[] {
  const { subscription, neighbours, cluster } = facts;
  const key = keyOfObject(subscription);
  const before = cluster.packages?.find((one) => one.subscription === key);
  return neighbours
    .filter((other) => !mayHold(other.subscription, subscription))
    .toSorted((a, b) => (keyOfObject(a.subscription) < keyOfObject(b.subscription) ? -1 : 1))
    .flatMap((other): readonly Overruled[] => {
      const dependent = describePackage(other) ?? describeComing(other);
      const need = dependent === undefined ? undefined : unmetNeed(dependent, bundle, before);
      return dependent === undefined || need === undefined
        ? []
        : [{ subscription: other.subscription, bundle: dependent.bundle, need }];
    })
    .slice(0, MOST);
}

/** The requirements that are read here: a constraint may take long to evaluate, and tenants write them. */
const READ: ReadonlySet<string> = new Set(['olm.package.required', 'olm.gvk.required']);

/** The unmet need: a version of the package by its name, or a kind that only the installed version provides. */
function unmetNeed(
  dependent: InstalledPackage,
  bundle: CatalogBundle,
  before: InstalledPackage | undefined,
): string | undefined {
  const properties = dependent.properties.filter(({ type }) => READ.has(type));
  for (const requirement of directRequirements({ ...dependent, properties })) {
    if (serves(bundle, requirement)) continue;
    if (requirement.kind === 'package' && requirement.package === bundle.package)
      return `${requirement.package} in ${JSON.stringify(requirement.range.text)}`;
    if (requirement.kind === 'gvk' && before !== undefined && serves(before, requirement))
      return kindKey(requirement.gvk);
  }
  return undefined;
}

/** The event for the Subscription that installs the bundle. */
export function describeOverruling(chosen: string, { subscription, bundle, need }: Overruled): EventFacts {
  const note = `${chosen} is chosen although ${bundle} of Subscription ${keyOfObject(subscription)} needs ${need}: that Subscription acts with other rights, and does not hold this one`;
  return { type: 'Warning', reason: 'RequirementOverruled', action: 'Resolve', note: redact(note) };
}

/** The event for the Subscription whose requirement does not count. */
export function describeBeingOverruled(chosen: string, by: Subscription, { bundle, need }: Overruled): EventFacts {
  const note = `${bundle} needs ${need}, and Subscription ${keyOfObject(by)}, which acts with other rights, goes on to ${chosen}. Upgrade to a version that works with it, or ask its owner for another`;
  return { type: 'Warning', reason: 'RequirementOverruled', action: 'Resolve', note: redact(note) };
}
