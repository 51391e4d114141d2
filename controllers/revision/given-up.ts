/**
 * Remembers which Revisions were refused for good, and in which circumstances, so that a refusal is decided once and
 * then rests until something changes that it depends on. Kept in memory only: after a restart each is decided again.
 */
import { findCondition } from '../../api/conditions.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { mergeInventories, refOfEntry, stateOf } from '../../apply/inventory.ts';
import type { ManagedObjects } from './managed-objects.ts';
import type { RevisionFacts } from './observe.ts';

export interface GivenUp {
  /** Whether the Revision was refused in exactly these circumstances, and says so. */
  has(facts: RevisionFacts): boolean;
  /**
   * Begins an attempt; what it returns notes that it was refused. The circumstances are those of the beginning, so
   * that a change during the attempt is not overlooked.
   */
  begin(facts: RevisionFacts): () => void;
  forget(facts: RevisionFacts): void;
}

/** @param managed What the watches know of the objects that were applied. */
export function createGivenUp(managed: Pick<ManagedObjects, 'get'>): GivenUp {
  const refused = new Map<string, string>();
  return {
    has: (facts) => isStalled(facts) && refused.get(keyOf(facts)) === circumstancesOf(facts, managed),
    begin(facts) {
      const circumstances = circumstancesOf(facts, managed);
      refused.delete(keyOf(facts));
      return () => void refused.set(keyOf(facts), circumstances);
    },
    forget: (facts) => void refused.delete(keyOf(facts)),
  };
}

function isStalled({ revision }: RevisionFacts): boolean {
  return findCondition(revision.status?.conditions, 'Stalled') !== undefined;
}

function keyOf({ revision: { metadata } }: RevisionFacts): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** What a refusal depends on: both specs, a person's request, and the objects that are in the cluster. */
function circumstancesOf(
  { revision, subscription, siblings }: RevisionFacts,
  managed: Pick<ManagedObjects, 'get'>,
): string {
  const inherited = siblings.flatMap(({ status }) => status?.inventory ?? []);
  const inventory = mergeInventories(inherited, revision.status?.inventory ?? []).filter(({ uid }) => uid !== '');
  const states = inventory.map((entry) => describeLive(managed.get(refOfEntry(entry)))).sort();
  const requested = subscription?.metadata.annotations?.[ANNOTATION.reconcileRequestedAt];
  return JSON.stringify([describeSpec(revision), describeSpec(subscription), requested, states]);
}

function describeSpec(object: KubeObject | undefined): string {
  return `${object?.metadata.uid} ${object?.metadata.generation}`;
}

function describeLive(live: KubeObject | undefined): string {
  if (live === undefined) return '';
  return `${live.metadata.uid} ${stateOf(live)} ${live.metadata.deletionTimestamp ?? ''}`;
}
