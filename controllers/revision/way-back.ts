/**
 * The removal of a Revision whose objects are to stay, as they are on the way back to OLM. The controller of Subscriptions
 * deletes none, but the collector, the controller of namespaces and people do, also before their Subscription is deleted.
 */
import { removalDuring, type RemovalDuring } from '../../adoption/way-back.ts';
import type { AskWayBack } from '../way-backs.ts';
import type { RevisionFacts } from './observe.ts';

/** The answer of the way back to OLM, if one has begun. One request. */
export async function answerOfWayBack(
  ask: AskWayBack | undefined,
  { revision, subscription }: RevisionFacts,
  signal: AbortSignal,
): Promise<RemovalDuring> {
  if (ask === undefined) return { kind: 'asAsked' };
  const { metadata, spec } = revision;
  const removed = { namespace: metadata.namespace ?? '', name: spec.subscription, package: spec.package };
  return removalDuring(await ask(removed, signal), subscription === undefined ? 'gone' : 'deletesObjects');
}
