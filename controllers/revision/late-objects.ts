/**
 * Objects that a former leader made too late. A creation cannot be bound to what became of its Subscription meanwhile: the
 * object may have been pruned since, or all of the operator removed. So the leader looks for objects that name the uid of
 * a Subscription and that none of its inventories lists, and removes them. See decision 24; carry-out.ts and
 * late-removals.ts ask.
 */
import { identityOf } from '../../apply/identity.ts';
import type { Cluster } from '../../apply/cluster.ts';
import { ownerName, type Owner } from '../../apply/prepare.ts';
import { pruneObjects } from '../../apply/prune.ts';
import type { Removal } from '../../apply/remove.ts';
import { isMadeByUs } from '../../apply/write.ts';
import { ANNOTATION } from '../../api/names.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { ownerOf } from './desired-objects.ts';
import type { ManagedObjects } from './managed-objects.ts';
import { knownInventory, type RevisionFacts } from './observe.ts';

/** Copies that other programs made of our objects, as they were when that was seen. */
const FOREIGN = new WeakSet<KubeObject>();

/** What names the Subscription of a Revision and is listed by none of its Revisions. */
export function findUnlisted(facts: RevisionFacts, managed: Pick<ManagedObjects, 'claimedBy'>): readonly KubeObject[] {
  const owner = ownerOf(facts.revision);
  if (owner.uid === undefined) return [];
  const listed = new Set(knownInventory(facts).map(identityOf));
  return managed
    .claimedBy(owner.uid)
    .filter((object) => isClaimOf(object, owner) && isSince(object, facts.revision))
    .filter((object) => !listed.has(identityOf(refOf(object))) && !FOREIGN.has(object));
}

/**
 * What is made late was pruned before, and that by this Revision. So what is older than the Revision is left alone, whoever
 * wrote our names onto it: the API server alone says when an object was made.
 */
function isSince({ metadata }: KubeObject, revision: Revision): boolean {
  return !(Date.parse(metadata.creationTimestamp ?? '') < Date.parse(revision.metadata.creationTimestamp ?? ''));
}

function isClaimOf({ metadata }: KubeObject, owner: Owner): boolean {
  return metadata.deletionTimestamp === undefined && metadata.annotations?.[ANNOTATION.owner] === ownerName(owner);
}

/** Why an object is removed that nobody asked to remove. */
export const MADE_LATE = 'a former leader made it when it was not wanted any more';

export interface RemoveLateOptions {
  readonly owner: Owner;
  /** As the account of the Subscription, or the manager where there is none. */
  readonly acting: Cluster;
  readonly signal: AbortSignal;
}

/**
 * Removes those that the manager made, each as it is read here. A copy that another program made stays, and so do what was
 * restored from a backup and a CRD that has objects. Refusals are part of the result; throws what reading throws.
 */
export async function removeLate(
  reading: Pick<Cluster, 'get'>,
  objects: readonly KubeObject[],
  { owner, acting, signal }: RemoveLateOptions,
): Promise<readonly Removal[]> {
  const live = new Map<string, KubeObject>();
  for (const object of objects) {
    const found = await reading.get(refOf(object), signal);
    if (found?.metadata.uid !== object.metadata.uid) continue;
    if (found !== undefined && isMadeByUs(found)) live.set(identityOf(refOf(object)), found);
    else FOREIGN.add(object);
  }
  const entries = [...live.values()].map((object) => ({ ...refOf(object), uid: object.metadata.uid ?? '', hash: '' }));
  const { removals } = await pruneObjects(acting, entries, {
    owner,
    signal,
    observed: (ref) => live.get(identityOf(ref)),
  });
  return removals;
}
