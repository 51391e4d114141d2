/**
 * Objects that a former leader made too late. A creation has no precondition on the state of its Subscription: the
 * object may have been pruned since, or the operator uninstalled. So the leader finds objects that name the uid of a
 * Subscription and are in none of its inventories, and removes them. See decision 24; called by conclude.ts and
 * late-removals.ts.
 */
import type { Failure } from '../../apply/api-failure.ts';
import { identityOf } from '../../apply/identity.ts';
import type { Cluster } from '../../api/cluster.ts';
import { ownerName, type Owner } from '../../apply/prepare.ts';
import { readByList } from '../../apply/read-by-list.ts';
import type { Removal } from '../../apply/remove.ts';
import { isMadeByUs } from '../../apply/write.ts';
import { ANNOTATION } from '../../api/names.ts';
import { ReasonedError } from '../../api/errors.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { RecordEvent } from '../events.ts';
import { ownerOf } from '../prepare-for.ts';
import type { LateAttempts } from './late-attempts.ts';
import type { ListedNamespaces } from './listed-namespaces.ts';
import type { ManagedObjects } from './managed-objects.ts';
import { knownInventory, type RevisionFacts } from './observe.ts';
import { pruneAsEach } from './prune-as-each.ts';
import { isProbe } from './rehearsal/probe-objects.ts';

/** Copies of our objects that other programs made, in the state in which that was found. */
const FOREIGN = new WeakSet<KubeObject>();

/**
 * A former leader sends no more writes at a time. Users can make any number of objects that look the same, and the
 * removal of each wakes the Revision for the rest.
 */
const MOST_AT_A_TIME = 20;

/** The facts that the manager has gathered since it leads. */
export interface LateFacts {
  readonly managed: Pick<ManagedObjects, 'claimedBy'>;
  readonly lateAttempts: Pick<LateAttempts, 'isGivenUp'>;
  readonly listedNamespaces: Pick<ListedNamespaces, 'wasListed'>;
}

/**
 * Objects that name the Subscription of a Revision and are in the inventory of none of its Revisions, in the namespaces
 * where these have objects or had some shortly before: in another one, a user has made them, and the account need not be
 * able to delete them there.
 */
export function findUnlisted(
  facts: RevisionFacts,
  { managed, lateAttempts, listedNamespaces }: LateFacts,
): readonly KubeObject[] {
  const owner = ownerOf(facts.revision);
  const { uid } = owner;
  if (uid === undefined) return [];
  const inventory = knownInventory(facts);
  const listed = new Set(inventory.map(identityOf));
  const reached = new Set([undefined, owner.namespace, ...inventory.map(({ namespace }) => namespace)]);
  const isReached = ({ metadata: { namespace, creationTimestamp = '' } }: KubeObject): boolean =>
    reached.has(namespace) || listedNamespaces.wasListed(uid, namespace ?? '', Date.parse(creationTimestamp));
  return managed
    .claimedBy(uid)
    .filter(isReached)
    .filter((object) => isClaimOf(object, owner) && isSince(object, facts.revision))
    .filter((object) => !listed.has(identityOf(refOf(object))) && !FOREIGN.has(object))
    .filter((object) => !lateAttempts.isGivenUp(object))
    .slice(0, MOST_AT_A_TIME);
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
 * that was restored from a backup and a CRD that has objects. Configurations for checks of webhooks are removed as the manager,
 * which made them. Rejected deletions are part of the result; throws the errors of reading.
 */
export async function removeLate(
  manager: Cluster,
  objects: readonly KubeObject[],
  { owner, acting, signal }: RemoveLateOptions,
): Promise<readonly Removal[]> {
  const live = new Map<string, KubeObject>();
  for (const object of objects) {
    const found = await manager.get(refOf(object), signal);
    if (found?.metadata.uid !== object.metadata.uid) continue;
    if (found !== undefined && isMadeByUs(found)) live.set(identityOf(refOf(object)), found);
    else FOREIGN.add(object);
  }
  const entries = [...live.values()].map((object) => ({ ...refOf(object), uid: object.metadata.uid ?? '', hash: '' }));
  const watched = { get: (ref: ObjectRef) => live.get(identityOf(ref)) };
  const { removals } = await pruneAsEach({ manager, acting }, entries, { owner, signal, watched, isOwn: isProbe });
  return removals;
}

export interface RemoveUnlistedDeps {
  /** As the manager. */
  readonly cluster: Cluster;
  /** As the account of the Subscription, or the manager if there is none. */
  readonly acting: Cluster;
  readonly record: RecordEvent;
  readonly lateAttempts: LateAttempts;
  readonly now: () => Date;
}

/**
 * Removes the objects of `findUnlisted`, with an event for each. Throws the reason if one cannot be removed, so that it
 * is retried; after ten minutes an event says that it stays, and no further request is sent.
 */
export async function removeUnlisted(
  deps: RemoveUnlistedDeps,
  { revision, subscription }: Pick<RevisionFacts, 'revision' | 'subscription'>,
  { unlisted, signal }: { readonly unlisted: readonly KubeObject[]; readonly signal: AbortSignal },
): Promise<void> {
  const { cluster, acting, lateAttempts, now } = deps;
  const due = unlisted.filter((object) => !lateAttempts.isGivenUp(object));
  const removals = await removeLate(readByList(cluster), due, { owner: ownerOf(revision), acting, signal });
  const say = (note: string): void =>
    deps.record(subscription ?? revision, { type: 'Warning', reason: 'LateWrite', action: 'Prune', note });
  const retried: Failure[] = [];
  for (const { ref, outcome, failure } of removals) {
    if (outcome === 'deleted') say(`${describeRef(ref)} is removed: ${MADE_LATE}`);
    const object = due.find((one) => identityOf(refOf(one)) === identityOf(ref));
    if (failure === undefined || object === undefined) continue;
    if (lateAttempts.failed(object, now())) say(describeGivenUp(ref, failure));
    else retried.push(failure);
  }
  const [first] = retried;
  if (first !== undefined) throw new ReasonedError(first);
}

function describeGivenUp(ref: ObjectRef, { message }: Failure): string {
  return `${describeRef(ref)} stays, although ${MADE_LATE}: ${message}. Delete it`;
}
