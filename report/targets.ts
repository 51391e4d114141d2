/** The Revisions that acts on a Subscription are about. Pure. */
import { WAITS_FOR_APPROVAL } from '../api/reasons.ts';
import { hasWorked, type Revision } from '../api/revision.ts';
import { haveSameBundle } from '../api/same-bundle.ts';
import type { Subscription } from '../api/subscription.ts';

/** The Revision that the Subscription's status reports as waiting for approval. */
export function waitingOf({ status }: Subscription, revisions: readonly Revision[]): Revision | undefined {
  const { pending } = status ?? {};
  if (pending === undefined || !WAITS_FOR_APPROVAL.has(pending.reason)) return undefined;
  return revisions.find(({ metadata, spec }) => metadata.name === pending.revision && !spec.approved);
}

/**
 * The newest Revision that worked, without the installed one and those that failed. A way back names a version, so it does not lead
 * to another content of the installed bundle.
 */
export function previousOf({ status }: Subscription, revisions: readonly Revision[]): Revision | undefined {
  const { installed, quarantined = [] } = status ?? {};
  const hasFailed = ({ spec }: Revision): boolean => quarantined.some((one) => haveSameBundle(one, spec));
  const worked = revisions.filter((one) => hasWorked(one) && !hasFailed(one));
  const current = revisions.find(({ metadata }) => metadata.name === installed?.revision);
  const named = worked.find(({ metadata }) => metadata.name === current?.spec.previous);
  const others = worked.filter(({ spec }) => spec.bundle !== installed?.bundle);
  return named !== undefined && others.includes(named) ? named : others.at(-1);
}

/** The Revision that the manager is about to apply, if it has made one. */
export function comingOf({ status }: Subscription, revisions: readonly Revision[]): Revision | undefined {
  const name = status?.pending?.revision;
  const found = revisions.find(({ metadata }) => metadata.name === name);
  return found?.spec.state === 'Active' ? undefined : found;
}

/** Why there is no plan of the next version, or of an uninstall. */
export function describeIdle(active: Revision | undefined, uninstall: boolean): string {
  if (uninstall)
    return active === undefined ? 'nothing is installed' : 'every object stays, as spec.uninstall.objects: Orphan asks';
  const installed = active === undefined ? 'nothing is installed' : `${active.spec.bundle} is installed`;
  return `${installed}, and the manager has prepared no other Revision; slipway plan --file plans from a catalog`;
}
