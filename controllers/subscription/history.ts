/** The history of a Subscription, from its Revisions: which one is installed, and which conditions still count. Pure. */
import { findCondition, type Condition } from '../../api/conditions.ts';
import { activeOf, hasWorked, type Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';

/**
 * Active Revisions beside the one that counts: the one that the status names as installed, else the newest. The manager
 * makes no second one active; a write of a former leader that arrives late does.
 */
export function surplusOf(
  { metadata, status }: Pick<Subscription, 'metadata' | 'status'>,
  revisions: readonly Revision[],
): readonly Revision[] {
  if (metadata.deletionTimestamp !== undefined) return [];
  const active = revisions.filter(({ spec }) => spec.state === 'Active');
  const named = active.find((one) => one.metadata.name === status?.installed?.revision);
  const counts = named ?? active.at(-1);
  return active.filter((one) => one !== counts);
}

/**
 * The Revision that works: the active one once it has been healthy, else the one that was installed before it. A
 * Revision that failed does not count. It is derived from the times of activity, never from `spec.previous` alone: that
 * names the Revision that was active when this one was created, and another one may have been active since.
 */
export function installedOf(
  { status }: Pick<Subscription, 'status'>,
  revisions: readonly Revision[],
  failed: Revision | undefined,
): Revision | undefined {
  const worked = revisions.filter((one) => hasWorked(one) && one !== failed);
  const active = activeOf(revisions);
  if (active !== undefined && worked.includes(active)) return active;
  const named = (name: string | undefined): Revision | undefined =>
    worked.find(({ metadata }) => metadata.name === name);
  return named(status?.installed?.revision) ?? lastActiveOf(worked) ?? named(active?.spec.previous) ?? worked.at(-1);
}

/** The Revision that was replaced last; undefined if no time is known. */
function lastActiveOf(worked: readonly Revision[]): Revision | undefined {
  const timeOf = ({ status }: Revision): number => Date.parse(status?.lastActiveTime ?? '');
  const known = worked.filter((one) => Number.isFinite(timeOf(one)));
  return known.toSorted((a, b) => timeOf(a) - timeOf(b)).at(-1);
}

/** The conditions about the current spec: a Revision that is made active again is judged by its new outcome. */
export function currentConditions({ metadata: { generation }, status }: Revision): readonly Condition[] {
  return (status?.conditions ?? []).filter(
    ({ observedGeneration }) => generation === undefined || observedGeneration === generation,
  );
}

/** Whether nothing more happens to it until the spec or the cluster changes. */
export function isStalledNow(revision: Revision): boolean {
  return findCondition(currentConditions(revision), 'Stalled') !== undefined;
}

/** Whether the last outcome for the current spec is good: an archived Revision is ready again once it was applied again. */
export function isReadyNow(revision: Revision): boolean {
  return findCondition(currentConditions(revision), 'Ready')?.status === 'True';
}
