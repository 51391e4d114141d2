/**
 * The bundle that the status shows as available, whether or not the resolver has an answer: an empty column would look
 * as if no version existed. Pure.
 */
import type { Subscription } from '../../api/subscription.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import type { ResolvedPlan } from './decide.ts';
import { isGoodEnough } from './good-enough.ts';

export type AvailableBundle = Pick<CatalogBundle, 'name' | 'version'>;

/**
 * The newest bundle that the spec allows. If no catalog answers: while catalogs are read again, as after a restart, the
 * last answer to the same spec; else the installed bundle, the only one known to exist. Undefined if the spec
 * requests a version that no catalog has.
 */
export function availableOf(subscription: Subscription, plan: ResolvedPlan): AvailableBundle | undefined {
  const { decision, installed, offered } = plan;
  if (offered !== undefined) return offered;
  if (decision.kind !== 'none') return decision.bundle;
  if (installed === undefined || !isGoodEnough(subscription, decision, installed)) return undefined;
  const last = decision.reason === 'CatalogUnavailable' ? lastAnswer(subscription) : undefined;
  return last ?? { name: installed.spec.bundle, version: installed.spec.version };
}

function lastAnswer({ metadata, status }: Subscription): AvailableBundle | undefined {
  const available: SubscriptionStatus['available'] = status?.available;
  const isCurrent = status?.observedGeneration === metadata.generation;
  return available === undefined || !isCurrent ? undefined : { name: available.bundle, version: available.version };
}
