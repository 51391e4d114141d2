/**
 * Decides whether an existing object is written, by its owner. An object whose uid is in the inventory is written. Any
 * other is taken over only if a person asks for it, if it names the uid of our Subscription, or if the one that it names has
 * given it up, and only by an account that may also delete it: the manager removes it later with its own rights. Called by
 * preflight.ts and settle-write.ts.
 */
import { ANNOTATION } from '../api/names.ts';
import { describeRef, refOf, type KubeObject } from '../api/object.ts';
import { isConflictOrReplaced, isForbidden } from '../api/api-answers.ts';
import { explainFailure, isDryRunUnsupported, type Failure } from './api-failure.ts';
import type { Cluster } from '../api/cluster.ts';
import { claimedBy, collisionError, isProven, judgeOwnership, type Ownership } from './collision.ts';
import type { InventoryEntry } from './inventory.ts';
import { plantedError, plantedOn } from './planted.ts';
import type { Owner } from './prepare.ts';
import { isMadeByUs } from './write.ts';

export type Finding =
  /** Nothing to send. */
  | { readonly kind: 'unchanged'; readonly entry: InventoryEntry }
  /** To be created. */
  | { readonly kind: 'absent' }
  /** Ours, to be applied. */
  | { readonly kind: 'present'; readonly live: KubeObject }
  /** It cannot be read before the operator of this roll-out converts it: judged when it is written. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'collision' | 'failed'; readonly failure: Failure };

/** Called with an object that names another Subscription. */
export type IsGivenUp = (live: KubeObject) => boolean;

export interface TakeOverFacts {
  /** Uid in the inventory; absent or empty if unknown. */
  readonly knownUid?: string | undefined;
  /**
   * Whether the Subscription acts as the manager, with an administrator's authority. It takes over objects that an
   * earlier Subscription of its name left, without a check of the right to delete.
   */
  readonly asManager?: boolean | undefined;
  /** Whether the other Subscription that an object names has no more use for it. Absent: it may always have. */
  readonly isGivenUp?: IsGivenUp | undefined;
  /** When the Revision was created: no earlier Subscription can have left an object that was created later. */
  readonly since?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * The finding for an existing object; one request if an account takes it over. Refusals of the API server to that are
 * findings; throws other errors of the client.
 */
export async function judgeExisting(
  cluster: Pick<Cluster, 'delete'>,
  object: KubeObject,
  live: KubeObject,
  facts: TakeOverFacts,
): Promise<Finding> {
  const finding = judgeLive(object, live, facts);
  if (finding.kind !== 'present' || facts.asManager === true || isProven(live, facts.knownUid)) return finding;
  return (await refusalToDelete(cluster, live, facts.signal)) ?? finding;
}

/** The finding for an existing object, from its metadata and the inventory. Pure. */
export function judgeLive(object: KubeObject, live: KubeObject, facts: TakeOverFacts): Finding {
  const subject = describeRef(refOf(object));
  const owner = ownerOf(object);
  const ownership = judgeOwnership(live, owner, facts.knownUid);
  const isForeign = ownership.kind === 'foreign' && facts.isGivenUp?.(live) !== true;
  if (isForeign || (ownership.kind === 'left' && !mayTakeUp(live, facts)))
    return { kind: 'collision', failure: belongsToOther(live, { owner, ownership, subject }) };
  const planted = isProven(live, facts.knownUid) ? undefined : plantedOn(object, live, { owner, ownership });
  if (planted !== undefined)
    return { kind: 'collision', failure: explainFailure(plantedError(live, planted), subject) };
  if (live.metadata.deletionTimestamp !== undefined) return { kind: 'failed', failure: beingDeleted(live, subject) };
  return { kind: 'present', live };
}

interface Foreign {
  readonly owner: Owner;
  readonly ownership: Extract<Ownership, { readonly kind: 'foreign' | 'left' }>;
  readonly subject: string;
}

/** For a caller that knows the other Subscription, if the object names one, the failure has it too. */
function belongsToOther(live: KubeObject, { owner, ownership, subject }: Foreign): Failure {
  const failure = explainFailure(collisionError(live, owner, ownership.owner), subject);
  const subscription = claimedBy(live);
  if (ownership.kind === 'left' || subscription === undefined) return failure;
  return { ...failure, holder: { object: subject, uid: live.metadata.uid, subscription } };
}

/**
 * For an object that has our name and another uid, or none. An administrator's Subscription takes over all of them; one
 * with an account only those that a release without uids applied for it and did not record before it ended.
 */
function mayTakeUp({ metadata }: KubeObject, { asManager, since }: TakeOverFacts): boolean {
  if (asManager === true) return true;
  const { annotations, creationTimestamp = '' } = metadata;
  const isLater = since !== undefined && Date.parse(creationTimestamp) >= Date.parse(since);
  return isLater && annotations?.[ANNOTATION.ownerUid] === undefined;
}

/**
 * Whether an object looks as if a manager had made it for us and was killed before it noted the uid. Another maker can write all of
 * that, so it decides only whether there is something to report.
 */
export function seemsOurs(object: KubeObject, live: KubeObject): boolean {
  return judgeOwnership(live, ownerOf(object)).kind === 'ours' && isMadeByUs(live);
}

/** The owner that a prepared object names. */
function ownerOf(object: KubeObject): Owner {
  const { [ANNOTATION.owner]: text = '', [ANNOTATION.ownerUid]: uid } = object.metadata.annotations ?? {};
  const slash = text.indexOf('/');
  if (slash < 0) throw new Error(`${describeRef(refOf(object))} was not prepared: it names no owner`);
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1), ...(uid !== undefined && { uid }) };
}

/** Why the account may not delete the object, by a dry run, so that it may not take it over; undefined if it may. */
export async function refusalToDelete(
  cluster: Pick<Cluster, 'delete'>,
  live: KubeObject,
  signal: AbortSignal,
): Promise<Extract<Finding, { readonly failure: Failure }> | undefined> {
  const { uid } = live.metadata;
  try {
    await cluster.delete(refOf(live), { dryRun: true, ...(uid !== undefined && { uid }) }, signal);
    return undefined;
  } catch (error) {
    if (isForbidden(error)) return { kind: 'failed', failure: notDeletable(error, live) };
    // A webhook was reached, so the rights suffice; if another object replaced it, the write fails with a conflict.
    if (isDryRunUnsupported(error) || isConflictOrReplaced(error)) return undefined;
    throw error;
  }
}

function notDeletable(error: unknown, live: KubeObject): Failure {
  const subject = describeRef(refOf(live));
  const { message, ...failure } = explainFailure(error, subject);
  return {
    ...failure,
    message: `${subject} exists already and is taken over only if it may be deleted too: ${message}`,
  };
}

function beingDeleted({ kind, metadata }: KubeObject, subject: string): Failure {
  const holders = metadata.finalizers ?? [];
  return {
    reason: kind === 'Namespace' ? 'NamespaceTerminating' : 'Conflict',
    retry: 'backoff',
    message: `${subject} is being deleted${holders.length === 0 ? '' : ` and held by ${holders.join(', ')}`}`,
    hint: 'It is made again once it is gone',
  };
}
