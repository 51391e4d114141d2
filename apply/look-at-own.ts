/**
 * Looks at a custom resource of a kind that the same set of objects defines. It is not tried as a dry run: its CRD and the
 * webhook that judges it may be those of another version still, or not be there at all, and the manager's right to write it
 * is given by this very roll-out. What can be known before is whose it is, and whether the account may write it.
 */
import { refOf, type KubeObject } from '../api/object.ts';
import type { Failure } from './api-failure.ts';
import type { Cluster } from './cluster.ts';
import { isProven } from './collision.ts';
import { isIntact, type InventoryEntry } from './inventory.ts';
import { hashObject } from './prepare.ts';
import { judgeExisting, type Finding, type TakeOverFacts } from './take-over.ts';

/** What a server-side apply takes: `create` too if there is no object yet. */
export type WriteVerb = 'create' | 'patch';

/** Asked about a custom resource before anything is written: which right the account lacks; undefined if none. */
export type MayWrite = (object: KubeObject, verbs: readonly WriteVerb[]) => Promise<Failure | undefined>;

export interface OwnFacts extends TakeOverFacts {
  /** The entry of the inventory, if it names the object by its uid. */
  readonly known: InventoryEntry | undefined;
  /** What a watch knows of the object. */
  readonly observed?: KubeObject | undefined;
  /** Absent: all may be written. */
  readonly mayWrite?: MayWrite | undefined;
}

/** One request at most, besides what `mayWrite` asks and what a take-over tries. Throws what the client throws. */
export async function lookAtOwn(
  cluster: Pick<Cluster, 'get' | 'delete'>,
  object: KubeObject,
  facts: OwnFacts,
): Promise<Finding> {
  const { known, observed, mayWrite, signal } = facts;
  const live = isProven(observed, known?.uid) ? observed : await cluster.get(refOf(object), signal);
  if (live === undefined) return refusedOr(await mayWrite?.(object, ['create', 'patch']), { kind: 'absent' });
  // The operator that finalizes it may be what is to be repaired: it holds up nothing else.
  if (known !== undefined && isProven(live, known.uid) && live.metadata.deletionTimestamp !== undefined)
    return { kind: 'unchanged', entry: known };
  const finding = await judgeExisting(cluster, object, live, { ...facts, knownUid: known?.uid });
  if (finding.kind !== 'present') return finding;
  if (known?.hash === hashObject(object) && isIntact(known, live)) return { kind: 'unchanged', entry: known };
  const refusal = await mayWrite?.(object, ['patch']);
  if (refusal !== undefined || live !== observed) return refusedOr(refusal, finding);
  return (await readWhole(cluster, live, signal)) ?? finding;
}

/** Whose its fields are is in no watch, and is needed to take some of them away; undefined if it is another object by now. */
async function readWhole(
  cluster: Pick<Cluster, 'get'>,
  observed: KubeObject,
  signal: AbortSignal | undefined,
): Promise<Finding | undefined> {
  const live = await cluster.get(refOf(observed), signal);
  return live?.metadata.uid === observed.metadata.uid && live !== undefined ? { kind: 'present', live } : undefined;
}

function refusedOr(failure: Failure | undefined, finding: Finding): Finding {
  return failure === undefined ? finding : { kind: 'failed', failure };
}
