/**
 * The memory of the manager about each Revision from one reconcile to the next: one record for each uid. All of it can be
 * lost; after a restart the work that it saves is done once more. A reconcile that rolls out a Revision makes the record;
 * `drop` is the one place that removes it.
 */
import type { KubeObject, ObjectRef } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { weigh } from '../../bundles/room.ts';
import type { StageName, Proved } from './rehearsal/decide-stage.ts';
import type { Repair } from './repair/drift.ts';

export interface RevisionMemory {
  /** The objects of a roll-out in progress. */
  loaded?: LoadedObjects | undefined;
  /** The last attempt, if it was rejected; absent while an attempt is under way. */
  refusal?: RememberedRefusal | undefined;
  /** Since when the progress deadline counts; absent before the first attempt, and after one that met an outage. */
  attendedSince?: Date | undefined;
  /** The seconds that counted towards the progress deadline when the last attempt began. */
  countedSeconds?: number;
  /** The seconds for which the process had stood still by the last attempt. */
  stoodStillSeconds?: number;
  /** The last write of the status. */
  lastWritten?: Date;
  /** The progress of the checks of its webhooks. */
  proof: Proof;
  /** The last explanation of a Deployment that is not available: Pods are read from time to time only. */
  explained?: Explained | undefined;
  /** Since when leftovers are pruned. */
  prunedSince?: Date;
  /** Since when a conversion webhook has not answered. */
  unreadableSince?: Date | undefined;
  /** Recent repairs, by the identity of the object. */
  repairs: ReadonlyMap<string, RepairHistory>;
}

export interface LoadedObjects {
  /** As in the Secrets of the Revision, prepared. */
  readonly objects: readonly KubeObject[];
  /** Identities of those whose creation was tried as a dry run. */
  readonly tried: Set<string>;
  /** About the bytes of memory that they take. */
  readonly weight: number;
}

/** The cause that the Pods of a Deployment have shown. */
export interface Explained {
  readonly at: Date;
  /** The message that was explained. */
  readonly of: string;
  /** The message with the cause; the same one if no cause was found. */
  readonly message: string;
}

/** A rejection: the Revision is not tried again under the same circumstances before a time, if one is set. */
export interface RememberedRefusal {
  readonly circumstances: string;
  readonly until: Date | undefined;
}

export interface Proof {
  readonly proved: Proved;
  readonly silentSince?: Date | undefined;
  readonly letInSince?: Date | undefined;
  /** The objects of checks that were deleted since. */
  readonly removed: readonly ObjectRef[];
  /** The stage that ended last. */
  readonly ended?: StageName;
}

export interface RepairHistory {
  readonly repair: Repair;
  readonly times: number;
  /** Milliseconds since 1970, the latest last; at most as many as make a contest. */
  readonly latest: readonly number[];
}

/** Why a record is dropped. */
export type DropReason = 'settled' | 'archived' | 'released' | 'removing' | 'deleted';

/**
 * More than there are Revisions in progress in a large cluster; beyond that the records that were used the longest time
 * ago are dropped.
 */
const MOST_RECORDS = 4096;

/**
 * The most weight of the objects of all roll-outs; beyond that they are loaded again. Hundreds of roll-outs of small
 * operators may wait for their Deployments at the same time, and each is reconciled several times.
 */
const MOST_WEIGHT = 24_000_000;

export class RevisionMemories {
  /** By uid; the one that was used last comes last. */
  readonly #records = new Map<string, RevisionMemory>();
  /** The records with loaded objects, in the order in which these were loaded. */
  readonly #loaded = new Set<RevisionMemory>();
  /** Of all loaded objects. */
  #weight = 0;

  /** How many Revisions have a record. */
  get size(): number {
    return this.#records.size;
  }

  /** The record of a Revision, a new one if it has none. */
  of({ metadata: { uid = '' } }: Pick<Revision, 'metadata'>): RevisionMemory {
    const record = this.#records.get(uid) ?? emptyMemory();
    this.#records.delete(uid);
    this.#records.set(uid, record);
    const [oldest] = this.#records.keys();
    if (this.#records.size > MOST_RECORDS && oldest !== undefined) this.#remove(oldest);
    return record;
  }

  /**
   * Removes the record. Of a Revision that is settled its repairs stay: a contest with another program goes on although
   * each repair settles the Revision again.
   */
  drop({ metadata: { uid = '' } }: Pick<Revision, 'metadata'>, reason: DropReason): void {
    const repairs = this.#records.get(uid)?.repairs;
    this.#remove(uid);
    if (reason === 'settled' && repairs !== undefined && repairs.size > 0)
      this.#records.set(uid, { ...emptyMemory(), repairs });
  }

  /** Keeps the objects of a roll-out, at the expense of those that were loaded the longest time ago. */
  keepObjects(memory: RevisionMemory, objects: readonly KubeObject[]): LoadedObjects {
    const loaded = { objects, tried: new Set<string>(), weight: weigh(objects) };
    this.#unload(memory);
    memory.loaded = loaded;
    this.#loaded.add(memory);
    this.#weight += loaded.weight;
    for (const oldest of this.#loaded) {
      if (this.#weight <= MOST_WEIGHT) break;
      this.#unload(oldest);
    }
    return loaded;
  }

  #remove(uid: string): void {
    const record = this.#records.get(uid);
    if (record !== undefined) this.#unload(record);
    this.#records.delete(uid);
  }

  #unload(record: RevisionMemory): void {
    this.#weight -= record.loaded?.weight ?? 0;
    record.loaded = undefined;
    this.#loaded.delete(record);
  }
}

/** The record of a Revision of which nothing is known. */
export function emptyMemory(): RevisionMemory {
  return { proof: { proved: 'nothing', removed: [] }, repairs: new Map() };
}
