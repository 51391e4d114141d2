/** Writes an object as its finding says, and decides again if another writer was faster. */
import { setTimeout as delay } from 'node:timers/promises';
import { ANNOTATION } from '../api/names.ts';
import { describeRef, refOf, type KubeObject } from '../api/object.ts';
import { answerOf, isAlreadyExists, isConflictOrReplaced, isNotFound } from '../api/api-answers.ts';
import { explainFailure, isUnmergeable } from './api-failure.ts';
import type { ObjectResult } from './apply-result.ts';
import type { Cluster } from '../api/cluster.ts';
import { isProven } from './collision.ts';
import { PAUSES_IN_MS } from './faster-writers.ts';
import { entryOf } from './inventory.ts';
import { notPermitted, type Permit } from './preflight.ts';
import { hashObject } from './prepare.ts';
import { judgeExisting, seemsOurs, type Finding, type IsGivenUp } from './take-over.ts';
import { keptByMaker, type TakenOver } from './taken-over.ts';
import { changeObject, createObject } from './write.ts';

export interface SettleOptions {
  readonly finding: Finding;
  /** Uid in the inventory; absent or empty if unknown. */
  readonly knownUid?: string | undefined;
  /** Hash of the manifest in the inventory; absent if it was never applied. */
  readonly knownHash?: string | undefined;
  /** Whether the Subscription acts as the manager; see take-over.ts. */
  readonly asManager?: boolean | undefined;
  readonly isGivenUp?: IsGivenUp | undefined;
  /** `keptBy` of ApplyRequest. */
  readonly keptBy?: string | undefined;
  /** Whether the object is a leftover that is wanted again. */
  readonly isLeftover?: boolean;
  /** Whether a CRD of the same set defines the kind: this roll-out may have given it another schema. */
  readonly isOwnKind?: boolean;
  /** When the Revision was created; see take-over.ts. */
  readonly since?: string | undefined;
  /** Asked about an object that has appeared or changed since it was checked. Absent: every change is permitted. */
  readonly permit?: Permit | undefined;
  readonly signal: AbortSignal;
}

/** The outcome, with the API server's answer if something was written. */
export type SettledWrite = Pick<ObjectResult, 'outcome' | 'entry' | 'failure' | 'takenOver'> & {
  readonly answer?: KubeObject;
};

/** Creates, applies or leaves one object. Refusals of the API server are outcomes; throws when aborted. */
export async function settleWrite(cluster: Cluster, object: KubeObject, options: SettleOptions): Promise<SettledWrite> {
  const { finding } = options;
  if (finding.kind === 'unchanged') return { outcome: 'unchanged', entry: finding.entry };
  try {
    return await writeUntilSettled(cluster, object, options);
  } catch (error) {
    options.signal.throwIfAborted();
    return { outcome: 'failed', failure: explainFailure(error, describeRef(refOf(object))) };
  }
}

async function writeUntilSettled(cluster: Cluster, object: KubeObject, options: SettleOptions): Promise<SettledWrite> {
  let finding = options.finding.kind === 'unreadable' ? await lookAgain(cluster, object, options) : options.finding;
  for (let attempt = 0; ; attempt++) {
    if (finding.kind === 'collision' || finding.kind === 'failed') {
      return { outcome: finding.kind, failure: finding.failure };
    }
    if (finding.kind === 'unchanged') return { outcome: 'unchanged', entry: finding.entry };
    const live = finding.kind === 'present' ? finding.live : undefined;
    const pause = PAUSES_IN_MS[attempt];
    try {
      return await write(cluster, object, {
        live,
        ...options,
        mustMerge: options.isOwnKind === true && pause !== undefined,
      });
    } catch (error) {
      const raced = isAlreadyExists(error) || isConflictOrReplaced(error) || (live !== undefined && isNotFound(error));
      const mayPass = raced || (options.isOwnKind === true && mayBeOfFormerSchema(error));
      if (!mayPass || pause === undefined) throw error;
      await delay(pause, undefined, { signal: options.signal });
      finding = await lookAgain(cluster, object, { ...options, judged: live });
    }
  }
}

/**
 * Whether the API server may have judged a custom resource by the schema from before this roll-out: for some tenths of a second
 * after the write of a CRD, even if a watch shows the new one. Without a merge it would drop each field that is new.
 */
function mayBeOfFormerSchema(error: unknown): boolean {
  return isUnmergeable(error) || answerOf(error)?.code === 422;
}

interface WriteTarget extends Pick<SettleOptions, 'knownUid' | 'knownHash' | 'keptBy' | 'isLeftover'> {
  readonly live: KubeObject | undefined;
  readonly mustMerge: boolean;
  readonly signal: AbortSignal;
}

async function write(
  cluster: Cluster,
  object: KubeObject,
  { live, mustMerge, keptBy, isLeftover = false, knownUid, knownHash, signal }: WriteTarget,
): Promise<SettledWrite> {
  if (live === undefined) {
    const answer = await createObject(cluster, object, { mustMerge, signal });
    return { outcome: 'created', entry: entryOf(object, answer), answer };
  }
  // A mark of this very Revision stays, so that the next apply changes nothing.
  const isKept = isLeftover || live.metadata.annotations?.[ANNOTATION.keptBy] === keptBy;
  const wanted = keptBy !== undefined && isKept ? markKept(object, keptBy) : object;
  const isTakenOver = !isProven(live, knownUid);
  const isNewManifest = !isTakenOver && knownHash !== undefined && knownHash !== hashObject(object);
  const answer = await changeObject(cluster, wanted, live, { isNewManifest, isTakenOver, mustMerge, signal });
  const outcome = isSame(live, answer) ? 'unchanged' : 'configured';
  const takenOver = isTakenOver ? reportOf(object, { live, answer }) : undefined;
  return { outcome, entry: entryOf(object, answer), answer, ...(takenOver !== undefined && { takenOver }) };
}

/** There is nothing to report about an object that a manager made before it was killed. */
function reportOf(
  object: KubeObject,
  { live, answer }: { readonly live: KubeObject; readonly answer: KubeObject },
): TakenOver | undefined {
  const kept = keptByMaker(object, answer);
  const isPlain = kept.finalizers.length === 0 && kept.fields.length === 0;
  return isPlain && seemsOurs(object, live) ? undefined : kept;
}

/** Whether our fields did not differ, so that another program changed other fields. */
function isSame({ metadata: before }: KubeObject, { metadata: after }: KubeObject): boolean {
  return before.resourceVersion !== undefined && before.resourceVersion === after.resourceVersion;
}

/** Adds an annotation that gives the object a new version, even if nothing else changes. */
function markKept(object: KubeObject, keptBy: string): KubeObject {
  const { metadata } = object;
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [ANNOTATION.keptBy]: keptBy } },
  };
}

interface LookAgainOptions extends SettleOptions {
  /** The object as a change of it was permitted. */
  readonly judged?: KubeObject | undefined;
}

async function lookAgain(cluster: Cluster, object: KubeObject, options: LookAgainOptions): Promise<Finding> {
  const live = await cluster.get(refOf(object), options.signal);
  if (live === undefined) return { kind: 'absent' };
  const finding = await judgeExisting(cluster, object, live, options);
  if (finding.kind !== 'present' || isAsJudged(live, options.judged)) return finding;
  return (await notPermitted(object, live, options.permit)) ?? finding;
}

/** Whether only metadata or status have changed: to judge a CRD can take a minute, in which another writer is faster again. */
function isAsJudged({ metadata: { uid, generation } }: KubeObject, judged: KubeObject | undefined): boolean {
  return generation !== undefined && judged?.metadata.generation === generation && judged.metadata.uid === uid;
}
