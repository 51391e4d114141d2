/**
 * Checks a custom resource of a kind that the same set of objects defines. It gets no dry run: its CRD and webhook may
 * still be those of another version, or missing, and this very roll-out grants the manager the right to write it. Known
 * beforehand are its owner, and whether the account may write it.
 */
import { refOf, type KubeObject } from '../api/object.ts';
import { isConversionFailure, type Failure } from './api-failure.ts';
import type { Cluster } from '../api/cluster.ts';
import { isProven } from './collision.ts';
import { isIntact, type InventoryEntry } from './inventory.ts';
import { hashObject } from './prepare.ts';
import { judgeExisting, type Finding, type TakeOverFacts } from './take-over.ts';

/** The verbs of a server-side apply: `create` too if there is no object yet. */
export type WriteVerb = 'create' | 'patch';

/** Called for a custom resource before anything is written; returns the right that the account lacks, or undefined. */
export type MayWrite = (object: KubeObject, verbs: readonly WriteVerb[]) => Promise<Failure | undefined>;

export interface OwnFacts extends TakeOverFacts {
  /** The inventory entry, if it has the object's uid. */
  readonly known: InventoryEntry | undefined;
  /** A watch's copy of the object. */
  readonly observed?: KubeObject | undefined;
  /** Absent: all may be written. */
  readonly mayWrite?: MayWrite | undefined;
}

/** At most one request, besides those of `mayWrite` and of a take-over. Throws what the client throws. */
export async function lookAtOwn(
  cluster: Pick<Cluster, 'get' | 'delete'>,
  object: KubeObject,
  facts: OwnFacts,
): Promise<Finding> {
  const { known, observed, mayWrite, signal } = facts;
  const live = isProven(observed, known?.uid) ? observed : await readIfConverted(cluster, object, signal);
  if (live === 'unreadable') return refusedOr(await mayWrite?.(object, ['create', 'patch']), { kind: 'unreadable' });
  if (live === undefined) return refusedOr(await mayWrite?.(object, ['create', 'patch']), { kind: 'absent' });
  // Its finalizer may wait for the operator that this roll-out repairs: it must not block anything else.
  if (known !== undefined && isProven(live, known.uid) && live.metadata.deletionTimestamp !== undefined)
    return { kind: 'unchanged', entry: known };
  const finding = await judgeExisting(cluster, object, live, { ...facts, knownUid: known?.uid });
  if (finding.kind !== 'present') return finding;
  if (known?.hash === hashObject(object) && isIntact(known, live)) return { kind: 'unchanged', entry: known };
  const refusal = await mayWrite?.(object, ['patch']);
  if (refusal !== undefined || live !== observed) return refusedOr(refusal, finding);
  return (await readWhole(cluster, live, signal)) ?? finding;
}

/**
 * The object, undefined if there is none, or `unreadable` while its conversion webhook does not answer: this roll-out may
 * be the repair of the operator that answers, so it must not be refused.
 */
async function readIfConverted(
  cluster: Pick<Cluster, 'get'>,
  object: KubeObject,
  signal: AbortSignal,
): Promise<KubeObject | 'unreadable' | undefined> {
  try {
    return await cluster.get(refOf(object), signal);
  } catch (error) {
    if (isConversionFailure(error)) return 'unreadable';
    throw error;
  }
}

/**
 * Reads managedFields, which no watch keeps and which are needed to remove fields; undefined if another object has
 * replaced it.
 */
async function readWhole(
  cluster: Pick<Cluster, 'get'>,
  observed: KubeObject,
  signal: AbortSignal,
): Promise<Finding | undefined> {
  const live = await cluster.get(refOf(observed), signal);
  return live?.metadata.uid === observed.metadata.uid && live !== undefined ? { kind: 'present', live } : undefined;
}

function refusedOr(failure: Failure | undefined, finding: Finding): Finding {
  return failure === undefined ? finding : { kind: 'failed', failure };
}
