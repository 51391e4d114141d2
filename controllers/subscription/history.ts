/** The history of a Subscription, from its Revisions: which is installed, and which failed. Pure. */
import { findCondition, type Condition } from '../../api/conditions.ts';
import { parseDuration } from '../../api/duration.ts';
import { hasWorked, type Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { BAKE_TIME_BOUNDS } from '../../api/subscription-spec.ts';

/** The Revision whose objects are kept in the cluster. */
export function activeOf(revisions: readonly Revision[]): Revision | undefined {
  return revisions.findLast(({ spec }) => spec.state === 'Active');
}

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

/**
 * The active Revision, if it has failed: it never became healthy and is not tried again, or it became unhealthy within
 * its bake time and stayed so. Later trouble is not the version's fault.
 */
export function failedOf(subscription: Subscription, revisions: readonly Revision[], now: Date): Revision | undefined {
  const active = activeOf(revisions);
  if (active === undefined) return undefined;
  if (hasWorked(active)) return (failsAtOf(subscription, revisions) ?? NEVER) <= now ? active : undefined;
  return findCondition(currentConditions(active), 'Stalled') === undefined ? undefined : active;
}

const NEVER = new Date(8.64e15);

/**
 * How long a version that worked may be unhealthy without having failed, as while its node is drained. A short bake time is
 * about the first moments, in which a program that crashes and is restarted would be healthy again too soon.
 */
const GRACE = { seconds: 30, ifBakeSecondsAbove: 60 };

/**
 * When the active Revision has failed that worked: at the end of the grace, if it became unhealthy within its bake time.
 * The moment at which it became unhealthy decides, so that the grace loses no rollback. Undefined if it has not failed.
 */
export function failsAtOf({ spec }: Subscription, revisions: readonly Revision[]): Date | undefined {
  const active = activeOf(revisions);
  const { firstReadyTime } = active?.status ?? {};
  if (active === undefined || firstReadyTime === undefined) return undefined;
  const since = unhealthySince(active);
  if (since === undefined) return undefined;
  const bakeSeconds = parseDuration(spec.onFailure.bakeTime, BAKE_TIME_BOUNDS);
  if (since - Date.parse(firstReadyTime) >= bakeSeconds * 1000) return undefined;
  const isStalled = findCondition(currentConditions(active), 'Stalled') !== undefined;
  const graceSeconds = isStalled || bakeSeconds <= GRACE.ifBakeSecondsAbove ? 0 : GRACE.seconds;
  return new Date(since + graceSeconds * 1000);
}

/** When it became unhealthy, or was made active again if it was not healthy since; undefined if it is not unhealthy. */
function unhealthySince(active: Revision): number | undefined {
  const conditions = currentConditions(active);
  const ready = findCondition(conditions, 'Ready');
  if (ready?.reason !== 'WorkloadUnhealthy') return undefined;
  const since = Date.parse(ready.lastTransitionTime);
  const wasHealthy = !(since <= Date.parse(active.status?.lastActiveTime ?? ''));
  const work = findCondition(conditions, 'Reconciling') ?? findCondition(conditions, 'Stalled');
  return wasHealthy || work === undefined ? since : Date.parse(work.lastTransitionTime);
}

/** The conditions about the current spec: a Revision that is made active again is judged by its new outcome. */
export function currentConditions({ metadata: { generation }, status }: Revision): readonly Condition[] {
  return (status?.conditions ?? []).filter(
    ({ observedGeneration }) => generation === undefined || observedGeneration === generation,
  );
}
