/**
 * A version that is being rolled out: it stays until it works or has failed, whatever the catalogs and the neighbours offer
 * meanwhile. Its objects are there in part, and no edge need lead from it to another one. A person who changes the spec is
 * followed at once. Pure.
 */
import { findCondition } from '../../api/conditions.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import type { Choice } from '../../resolver/decision.ts';
import type { CatalogSource } from '../../resolver/input.ts';
import { isAsConfigured, isInRange } from './in-range.ts';
import type { Standing } from './question.ts';
import { haveSameBundle, isSameBundle } from '../../api/same-bundle.ts';
import { isNewer } from './upgrade-failure.ts';

interface RollOut extends Standing {
  readonly subscription: Subscription;
  readonly catalogs: readonly Pick<CatalogSource, 'name' | 'selected'>[];
}

/**
 * The Revision that stays although another bundle is chosen; undefined if the choice is free. Without a rollback a version that
 * failed stays too, unless another one than the installed version may follow. One that was given up may be active again after a
 * crash, one that a person deletes is applied no further, and no deadline ends the errors before the first object: none of them
 * would come to an end.
 */
export function staysUnderWay(
  { next, bundle }: Pick<Choice, 'next' | 'bundle'>,
  rollOut: RollOut,
): Revision | undefined {
  const { subscription, active, installed, failed, quarantined } = rollOut;
  if (active === undefined || isSameBundle(next, active.spec)) return undefined;
  if (active.metadata.deletionTimestamp !== undefined || isTriedInVain(active)) return undefined;
  if (quarantined.some((one) => haveSameBundle(one, active.spec))) return undefined;
  if (installed !== undefined && haveSameBundle(active.spec, installed.spec)) return undefined;
  if (active === failed && !isHeld(subscription, next, installed)) return undefined;
  return isPermitted(active, bundle, rollOut) ? active : undefined;
}

/** Whether an attempt has ended, and not even the intent to apply an object is noted: nothing of it is in the cluster. */
function isTriedInVain({ status }: Revision): boolean {
  return (status?.inventory ?? []).length === 0 && findCondition(status?.conditions, 'Reconciling') !== undefined;
}

function isHeld({ spec }: Subscription, next: CatalogBundle, installed: Revision | undefined): boolean {
  return spec.onFailure.strategy !== 'Rollback' && installed !== undefined && isSameBundle(next, installed.spec);
}

interface Stretch {
  readonly installed: Revision | undefined;
  /** The end of the path that is chosen now. */
  readonly goal: CatalogBundle;
}

/** Whether the spec still permits a Revision as it is: as one that it requests, or as a step on the way to one. */
function isPermitted(revision: Revision, goal: CatalogBundle, { subscription, catalogs, installed }: RollOut): boolean {
  const { spec } = revision;
  const { catalog = spec.catalog } = subscription.spec;
  const isSelected = catalogs.find(({ name }) => name === spec.catalog)?.selected !== false;
  return (
    spec.package === subscription.spec.package &&
    spec.catalog === catalog &&
    isSelected &&
    isAsConfigured(subscription, revision) &&
    (isInRange(subscription, revision) || isStep(subscription, revision, { installed, goal }))
  );
}

/** Whether a version leads from the installed one, which is outside of the range, to the one that is chosen now. */
function isStep(subscription: Subscription, { spec: { version } }: Revision, { installed, goal }: Stretch): boolean {
  if (installed === undefined || isInRange(subscription, installed)) return false;
  return isNewer(version, installed.spec.version) && isNewer(goal.version, version);
}
