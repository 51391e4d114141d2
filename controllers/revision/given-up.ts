/**
 * Remembers which Revisions were rejected, and under which conditions, so that a rejected Revision is not tried again
 * until one of those conditions changes or its retry is due. Kept in memory only: after a restart each is tried again.
 */
import { createHash } from 'node:crypto';
import { findCondition } from '../../api/conditions.ts';
import { ANNOTATION } from '../../api/names.ts';
import { keyOfObject, type KubeObject } from '../../api/object.ts';
import { mergeInventories, refOfEntry, stateOf } from '../../apply/inventory.ts';
import { createRecent } from '../recent.ts';
import type { ManagedObjects } from './managed-objects.ts';
import type { RevisionFacts } from './observe.ts';

export interface GivenUp {
  /**
   * How long to leave the Revision alone, because it was rejected under exactly these conditions and its status says
   * so: for some seconds, or without them until something changes. Undefined if it is to be tried.
   */
  restOf(facts: RevisionFacts, now: Date): Rest | undefined;
  /**
   * Begins an attempt; the returned function notes that it was rejected, until a time or for good. The conditions are
   * those at the beginning, so that a change during the attempt counts.
   */
  begin(facts: RevisionFacts): (until?: Date) => void;
  forget(facts: RevisionFacts): void;
}

export interface Rest {
  readonly requeueAfterSeconds?: number;
}

interface Refusal {
  readonly circumstances: string;
  readonly until: Date | undefined;
}

/** @param managed The state of the applied objects, from the watches. */
export function createGivenUp(managed: Pick<ManagedObjects, 'get'>): GivenUp {
  const refusals = createRecent<Refusal>();
  return {
    restOf(facts, now) {
      const refusal = refusals.get(keyOfObject(facts.revision));
      if (refusal === undefined || !saysSo(facts)) return undefined;
      if (refusal.circumstances !== circumstancesOf(facts, managed)) return undefined;
      return restUntil(refusal.until, now);
    },
    begin(facts) {
      const circumstances = circumstancesOf(facts, managed);
      refusals.delete(keyOfObject(facts.revision));
      return (until) => refusals.set(keyOfObject(facts.revision), { circumstances, until });
    },
    forget: (facts) => refusals.delete(keyOfObject(facts.revision)),
  };
}

function restUntil(until: Date | undefined, now: Date): Rest | undefined {
  if (until === undefined) return {};
  const seconds = (until.getTime() - now.getTime()) / 1000;
  return seconds > 0 ? { requeueAfterSeconds: seconds } : undefined;
}

function saysSo({ revision }: RevisionFacts): boolean {
  return findCondition(revision.status?.conditions, 'Ready')?.status === 'False';
}

/** The conditions of a rejection: both specs, a person's request, and the objects in the cluster. */
function circumstancesOf(
  { revision, subscription, siblings }: RevisionFacts,
  managed: Pick<ManagedObjects, 'get'>,
): string {
  const inherited = siblings.flatMap(({ status }) => status?.inventory ?? []);
  const inventory = mergeInventories(inherited, revision.status?.inventory ?? []).filter(({ uid }) => uid !== '');
  const states = inventory.map((entry) => describeLive(managed.get(refOfEntry(entry)))).sort();
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
