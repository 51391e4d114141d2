/** The bundle that a Subscription is likely to request next. Pure. */
import { resolve } from '../../resolver/resolve.ts';
import { configHash } from '../config-hash.ts';
import type { Target } from './action.ts';
import type { ResolvedPlan } from './decide.ts';
import type { SubscriptionFacts } from './observe.ts';
import { questionOf } from './question.ts';
import { isServing } from './situation.ts';

/**
 * The bundle that would be next if the spec named no version; undefined if it names none, if the operator does not
 * work as requested, or if nothing newer is offered.
 */
export function comingTarget(
  facts: SubscriptionFacts,
  plan: ResolvedPlan,
  expired?: () => boolean,
): Target | undefined {
  const { subscription } = facts;
  if (subscription.spec.version === undefined || plan.action.do !== 'nothing' || !isServing(plan)) return undefined;
  const question = questionOf(facts, plan, expired);
  const { version: _version, ...wanted } = question.wanted;
  const decision = resolve({ ...question, wanted });
  if (decision.kind !== 'upgrade' || decision.downgrade) return undefined;
  const { next: bundle, catalog, channel } = decision;
  return { bundle, catalog, channel, configHash: configHash(subscription) };
}
