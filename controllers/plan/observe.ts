/** Gathers the facts about a Revision that waits for its plan from the caches: no request is sent. */
import type { KubeObject } from '../../api/object.ts';
import { activeOf, hasWorked, type Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { UpgradePolicy } from '../../api/upgrade-policy.ts';
import { formatKey, type ObjectKey } from '../../kube/controller/controller.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import { BY_SUBSCRIPTION } from '../by-subscription.ts';
import { genuineOf } from '../genuine.ts';
import { planInputs, type PlannedChange } from '../plan-inputs.ts';
import { policyInForce } from '../upgrade-policy.ts';

export interface PlanCaches {
  readonly subscriptions: Pick<Informer<Subscription>, 'get'>;
  readonly revisions: Pick<Informer<Revision>, 'byIndex'>;
  readonly namespaces: { get(key: string): KubeObject | undefined };
}

/** A Revision that waits, and the change that it makes. */
export interface WaitingChange extends PlannedChange {
  /** See plan-inputs.ts. */
  readonly inputs: string;
}

/**
 * Undefined unless the Subscription waits with a Revision that was never active: a Revision that goes on by itself has
 * no plan, and costs nothing here.
 */
export function observePlan(
  { subscriptions, revisions, namespaces }: PlanCaches,
  key: ObjectKey,
  byDefault: UpgradePolicy | undefined,
): WaitingChange | undefined {
  const subscription = subscriptions.get(formatKey(key));
  const waiting = subscription?.status?.pending?.revision;
  if (subscription === undefined || waiting === undefined || isAtRest(subscription)) return undefined;
  const all = genuineOf(revisions.byIndex(BY_SUBSCRIPTION, formatKey(key)), subscription);
  const next = all.find(({ metadata }) => metadata.name === waiting);
  if (next === undefined || !isWaiting(next) || isBetweenVersions(all)) return undefined;
  const active = activeOf(all);
  const policy = policyInForce(subscription, namespaces.get(key.namespace ?? ''), byDefault);
  const change: PlannedChange = { subscription, active, next, policy };
  return { ...change, inputs: planInputs(change) };
}

/**
 * Whether no Revision is active and an archived one has worked or still lists objects: one version has ended, and the next
 * has not begun. A plan of that moment would be that of a first installation.
 */
export function isBetweenVersions(revisions: readonly Revision[]): boolean {
  if (activeOf(revisions) !== undefined) return false;
  return revisions.some((one) => hasWorked(one) || (one.status?.inventory ?? []).length > 0);
}

function isAtRest({ metadata, spec }: Subscription): boolean {
  return metadata.deletionTimestamp !== undefined || spec.suspend;
}

function isWaiting(revision: Revision): boolean {
  return (
    revision.spec.state === 'Archived' && revision.metadata.deletionTimestamp === undefined && !hasWorked(revision)
  );
}
