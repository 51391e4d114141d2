/**
 * Objects that a former leader made too late. A creation has no precondition on the state of its Subscription: the
 * object may have been pruned since, or the operator uninstalled. So the leader finds objects that name the uid of a
 * Subscription and are in none of its inventories, and removes them. See decision 24; called by conclude.ts and
 * late-removals.ts.
 */
import { identityOf } from '../../apply/identity.ts';
import type { Cluster } from '../../api/cluster.ts';
import { ownerName, type Owner } from '../../apply/prepare.ts';
import { pruneObjects } from '../../apply/prune.ts';
import { readByList } from '../../apply/read-by-list.ts';
import type { Removal } from '../../apply/remove.ts';
import { isMadeByUs } from '../../apply/write.ts';
import { ANNOTATION } from '../../api/names.ts';
import { ReasonedError } from '../../api/errors.ts';
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { RecordEvent } from '../events.ts';
import { ownerOf } from '../prepare-for.ts';
import type { ManagedObjects } from './managed-objects.ts';
import { knownInventory, type RevisionFacts } from './observe.ts';

/** Copies of our objects that other programs made, in the state in which that was found. */
const FOREIGN = new WeakSet<KubeObject>();

/** Objects that name the Subscription of a Revision and are in the inventory of none of its Revisions. */
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
 * A late creation follows a pruning by this very Revision. So an object that is older than the Revision is left alone, even if
 * another program wrote our names onto it: only the API server decides when an object was created.
 */
function isSince({ metadata }: KubeObject, revision: Revision): boolean {
  return !(Date.parse(metadata.creationTimestamp ?? '') < Date.parse(revision.metadata.creationTimestamp ?? ''));
}

function isClaimOf({ metadata }: KubeObject, owner: Owner): boolean {
  return metadata.deletionTimestamp === undefined && metadata.annotations?.[ANNOTATION.owner] === ownerName(owner);
}

/** Why an object is removed without a request. */
export const MADE_LATE = 'a former leader made it when it was not wanted any more';

export interface RemoveLateOptions {
  readonly owner: Owner;
  /** As the account of the Subscription, or the manager if there is none. */
  readonly acting: Cluster;
  readonly signal: AbortSignal;
}

/**
 * Removes the objects that the manager made, after reading each. A copy that another program made stays, and so do an object
 * that was restored from a backup and a CRD that has objects. Rejected deletions are part of the result; throws the errors of
 * reading.
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
    watched: { get: (ref) => live.get(identityOf(ref)) },
  });
  return removals;
}

export interface RemoveUnlistedDeps {
  /** As the manager. */
  readonly cluster: Cluster;
  /** As the account of the Subscription, or the manager if there is none. */
  readonly acting: Cluster;
  readonly record: RecordEvent;
}

/**
 * Removes the objects of `findUnlisted`, with an event for each. Throws the reason if one cannot be removed, so that it
 * is retried.
 */
export async function removeUnlisted(
  { cluster, acting, record }: RemoveUnlistedDeps,
  { revision, subscription }: Pick<RevisionFacts, 'revision' | 'subscription'>,
  { unlisted, signal }: { readonly unlisted: readonly KubeObject[]; readonly signal: AbortSignal },
): Promise<void> {
  const options = { owner: ownerOf(revision), acting, signal };
  const removals = await removeLate(readByList(cluster), unlisted, options);
  for (const { ref, outcome } of removals) {
    if (outcome !== 'deleted') continue;
    const note = `${describeRef(ref)} is removed: ${MADE_LATE}`;
    record(subscription ?? revision, { type: 'Warning', reason: 'LateWrite', action: 'Prune', note });
  }
  const failure = removals.find((removal) => removal.failure !== undefined)?.failure;
  if (failure !== undefined) throw new ReasonedError(failure);
}
