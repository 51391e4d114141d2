/**
 * The circumstances in which a Revision was rejected, so that it is not tried again until one of them changes or its
 * retry is due.
 */
import { createHash } from 'node:crypto';
import { findCondition } from '../../api/conditions.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { mergeInventories, refOfEntry, stateOf } from '../../apply/inventory.ts';
import type { ManagedObjects } from './managed-objects.ts';
import type { RevisionMemory } from './memory.ts';
import type { RevisionFacts } from './observe.ts';

/** Whether the Revision was rejected in exactly these circumstances, and its status shows it. */
export function isRefusedAsBefore(
  { refusal }: Pick<RevisionMemory, 'refusal'>,
  facts: RevisionFacts,
  watched: Pick<ManagedObjects, 'get'>,
): boolean {
  const isShown = findCondition(facts.revision.status?.conditions, 'Ready')?.status === 'False';
  return refusal !== undefined && isShown && refusal.circumstances === circumstancesOf(facts, watched);
}

/**
 * A text that is the same in the same circumstances: both specs, a person's request, and the objects in the cluster.
 *
 * @param watched The state of the applied objects, from the watches.
 */
export function circumstancesOf(
  { revision, subscription, siblings }: RevisionFacts,
  watched: Pick<ManagedObjects, 'get'>,
): string {
  const inherited = siblings.flatMap(({ status }) => status?.inventory ?? []);
  const inventory = mergeInventories(inherited, revision.status?.inventory ?? []).filter(({ uid }) => uid !== '');
  const states = inventory.map((entry) => describeLive(watched.get(refOfEntry(entry)))).sort();
  const requested = [subscription, revision].map(
    (each) => each?.metadata.annotations?.[ANNOTATION.reconcileRequestedAt],
  );
  // hashed, since an inventory may be long and only equality matters
  const all = JSON.stringify([describeSpec(revision), describeSpec(subscription), requested, states]);
  return createHash('sha256').update(all).digest('base64');
}

function describeSpec(object: KubeObject | undefined): string {
  return `${object?.metadata.uid} ${object?.metadata.generation}`;
}

function describeLive(live: KubeObject | undefined): string {
  if (live === undefined) return '';
  return `${live.metadata.uid} ${stateOf(live)} ${live.metadata.deletionTimestamp ?? ''}`;
}
