/**
 * Whether a refusal of the resolver ends without a person: a catalog is being read, another package is about to make way, or a
 * dependency that must be there is being installed. Pure.
 */
import { findCondition } from '../../api/conditions.ts';
import type { Conflict, Decision, Suggestion } from '../../resolver/decision.ts';
import { kindKey, providedKeys, type Need } from '../../resolver/dependencies/requirements.ts';
import { propertiesOf } from '../revision-properties.ts';
import { needsPerson } from './needs-person.ts';
import { isBeingDeleted } from './requested-dependencies.ts';
import type { Neighbour } from './neighbours.ts';
import type { SubscriptionFacts } from './observe.ts';
import { mayHold } from './trust.ts';

/** False also if a bundle is chosen. */
export function endsByItself(
  decision: Decision,
  { subscription, neighbours }: Pick<SubscriptionFacts, 'subscription' | 'neighbours'>,
): boolean {
  if (decision.kind !== 'none') return false;
  if (decision.reason === 'CatalogUnavailable' || decision.suggestions.some(isWait)) return true;
  // With any other setting the plan has the installation or the upgrade as a step: a refusal is a contradiction then.
  if (subscription.spec.dependencies !== 'Require') return false;
  const trusted = neighbours.filter((one) => mayHold(one.subscription, subscription) && isComing(one));
  return needsIn(decision.because).some((need) => trusted.some((one) => brings(one, need)));
}

/** Whether a suggestion is to wait. A catalog that cannot be read may stay so. */
function isWait(suggestion: Suggestion): boolean {
  return suggestion.change === 'awaitPackage' || (suggestion.change === 'wait' && suggestion.unreadable !== true);
}

function needsIn(because: readonly Conflict[]): readonly Need[] {
  const facts = because.flatMap((fact) => (fact.kind === 'dependency' ? fact.because : []));
  return facts.flatMap((fact) => (fact.kind === 'requires' ? [fact.need] : []));
}

/**
 * Whether a Subscription is about to install its first version, or another one, and needs no person for that. One that has no answer
 * itself does not count: the two may wait for each other.
 */
function isComing({ subscription }: Neighbour): boolean {
  const { status } = subscription;
  if (isBeingDeleted(subscription) || needsPerson(subscription) !== undefined) return false;
  if (findCondition(status?.conditions, 'Reconciling')?.reason === 'ResolutionFailed') return false;
  return status?.pending !== undefined || status?.installed === undefined;
}

/** Whether its package, or the newest Revision of it, may serve a need; the resolver judges the version once it is installed. */
function brings({ subscription, revisions }: Neighbour, need: Need): boolean {
  if (need.kind === 'package') return subscription.spec.package === need.package;
  const newest = revisions.at(-1);
  if (need.kind !== 'gvk' || newest === undefined) return false;
  return providedKeys(propertiesOf(newest)).has(kindKey(need.gvk));
}
