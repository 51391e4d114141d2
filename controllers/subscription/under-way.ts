/**
 * A version that is being rolled out: it stays until it works or has failed, whatever the catalogs and the neighbours offer
 * meanwhile. Its objects are there in part, and no edge need lead from it to another one. A person who changes the spec is
 * followed at once. Pure.
 */
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import type { CatalogSource } from '../../resolver/input.ts';
import { isAsRequested } from './in-range.ts';
import type { Standing } from './question.ts';
import { haveSameBundle, isSameBundle } from '../../api/same-bundle.ts';

interface RollOut extends Standing {
  readonly subscription: Subscription;
  readonly catalogs: readonly Pick<CatalogSource, 'name' | 'selected'>[];
}

/**
 * The Revision that stays although another bundle is chosen; undefined if the choice is free. Without a rollback a version that
 * failed stays too, unless another one than the installed version may follow. One that was given up may be active again after a
 * crash, and one that a person deletes is applied no further: neither would come to an end.
 */
export function staysUnderWay(next: CatalogBundle, rollOut: RollOut): Revision | undefined {
  const { subscription, active, installed, failed, quarantined } = rollOut;
  if (active === undefined || isSameBundle(next, active.spec)) return undefined;
  if (active.metadata.deletionTimestamp !== undefined) return undefined;
  if (quarantined.some((one) => haveSameBundle(one, active.spec))) return undefined;
  if (installed !== undefined && haveSameBundle(active.spec, installed.spec)) return undefined;
  if (active === failed && !isHeld(subscription, next, installed)) return undefined;
  return isPermitted(active, rollOut) ? active : undefined;
}

function isHeld({ spec }: Subscription, next: CatalogBundle, installed: Revision | undefined): boolean {
  return spec.onFailure.strategy !== 'Rollback' && installed !== undefined && isSameBundle(next, installed.spec);
}

/** Whether the spec still permits a Revision as it is. */
function isPermitted(revision: Revision, { subscription, catalogs }: RollOut): boolean {
  const { spec } = revision;
  const { catalog = spec.catalog } = subscription.spec;
  const isSelected = catalogs.find(({ name }) => name === spec.catalog)?.selected !== false;
  return (
    spec.package === subscription.spec.package &&
    spec.catalog === catalog &&
    isSelected &&
    isAsRequested(subscription, revision)
  );
}
