/**
 * Reports an error in the status of the object that would be in the log only: a defect of Slipway, which has no reason, and
 * an error that ended a removal, such as a deletion that a policy of the cluster refuses. An error of a removal that the next
 * attempt cures by itself is reported once it has lasted for a minute, and so is a Conflict: controllers report none, except for
 * those that they mark. All other errors are reported by the controller that meets them. All are retried with back-off.
 */
import {
  findCondition,
  LASTING_CONDITIONS,
  replaceConditions,
  type Condition,
  type ConditionType,
  type NextCondition,
} from '../api/conditions.ts';
import { ReasonedError } from '../api/errors.ts';
import type { KubeObject } from '../api/object.ts';
import type { Reason } from '../api/reasons.ts';
import type { Cluster } from '../api/cluster.ts';
import { formatKey, type Reconcile } from '../kube/controller/controller.ts';
import type { Informer } from '../kube/watch/informer.ts';
import type { RecordEvent } from './events.ts';
import { writeStatus } from './status.ts';

export interface DefectDeps {
  /** The objects that are reconciled. */
  readonly objects: Pick<Informer, 'get'>;
  readonly cluster: Pick<Cluster, 'patch'>;
  readonly record: RecordEvent;
  readonly now: () => Date;
}

/** Errors that are in the status of the object already. */
const REPORTED = new WeakSet<ReasonedError>();

/** Marks an error that the controller has written into the status itself; returns it. */
export function markReported(error: ReasonedError): ReasonedError {
  REPORTED.add(error);
  return error;
}

/** The same reconcile function; an error that no controller reports is written into the object's conditions and an event. */
export function reportDefects(reconcile: Reconcile, deps: DefectDeps): Reconcile {
  const passing = new PassingErrors();
  return async (key, context) => {
    try {
      const result = await reconcile(key, context);
      passing.forget(formatKey(key));
      return result;
    } catch (error) {
      const object = deps.objects.get(formatKey(key));
      const passes = isPassing(error, object);
      const lasts = passing.lasts(formatKey(key), passes ? error : undefined, deps.now());
      const isReported = passes ? lasts : isBeingDeleted(object) || !(error instanceof ReasonedError);
      const trouble = context.signal.aborted || !isReported ? undefined : troubleOf(error);
      if (trouble !== undefined && object !== undefined)
        await reportTrouble(deps, object, trouble).catch(() => undefined);
      throw isBeingDeleted(object) ? retried(error) : error;
    }
  };
}

function isBeingDeleted(object: KubeObject | undefined): boolean {
  return object?.metadata.deletionTimestamp !== undefined;
}

/** Answers to a removal that the next attempt cures by itself. */
export const PASSING: ReadonlySet<string> = new Set<Reason>(['Conflict', 'LeaderLost', 'ApiUnavailable']);

/** Shorter than a person waits for an uninstall, and longer than an API server takes to start again. */
const LASTING_SECONDS = 60;

/** Since when each object meets one of the passing errors, without an attempt in between that ended otherwise. */
class PassingErrors {
  readonly #since = new Map<string, number>();

  /** Whether the error has come again for a minute. @param error Undefined after one that does not pass by itself. */
  lasts(key: string, error: ReasonedError | undefined, now: Date): boolean {
    if (error === undefined) this.forget(key);
    if (error === undefined || error.reason === 'LeaderLost') return false;
    const since = this.#since.get(key) ?? now.getTime();
    this.#since.set(key, since);
    return now.getTime() - since >= LASTING_SECONDS * 1000;
  }

  forget(key: string): void {
    this.#since.delete(key);
  }
}

/** Whether an error is reported here, once it lasts. */
function isPassing(error: unknown, object: KubeObject | undefined): error is ReasonedError {
  if (!(error instanceof ReasonedError)) return false;
  return isBeingDeleted(object) ? PASSING.has(error.reason) : error.reason === 'Conflict' && !REPORTED.has(error);
}

function troubleOf(error: unknown): Trouble {
  if (!(error instanceof ReasonedError)) return describeDefect(error);
  return { reason: error.reason, message: error.forTenants ?? error.describe() };
}

/** A removal is never given up: no event would report that a policy of the cluster, say, refuses it no longer. */
function retried(error: unknown): unknown {
  return error instanceof ReasonedError && error.retry === 'never' ? error.withRetry('backoff') : error;
}

function describeDefect(error: unknown): Trouble {
  const what = error instanceof Error ? error.message : String(error);
  return { reason: 'InternalError', message: `A defect of Slipway, please report it; it is tried again: ${what}` };
}

/** Why an object cannot be reconciled at all. */
export interface Trouble {
  readonly reason: Reason;
  readonly message: string;
}

interface DefectStatus {
  readonly conditions?: readonly Condition[];
}

/**
 * Writes the trouble into the conditions, and records an event if it is new. An object that was Ready stays Ready. A failure that ended
 * the work stays, too, as quarantine and deadlines go by it: a Conflict beside it is in events alone.
 */
export async function reportTrouble(
  { cluster, record, now }: Omit<DefectDeps, 'objects'>,
  object: KubeObject,
  trouble: Trouble,
): Promise<void> {
  const status = (object['status'] ?? {}) as DefectStatus;
  const event = { type: 'Warning', reason: trouble.reason, action: 'Reconcile', note: trouble.message } as const;
  if (trouble.reason === 'Conflict' && findCondition(status.conditions, 'Stalled') !== undefined)
    return record(object, event);
  const observedGeneration = object.metadata.generation ?? 0;
  const shown = conditionsOf(status, observedGeneration, trouble);
  const conditions = replaceConditions(status.conditions, shown, { observedGeneration, now: now() });
  if (findCondition(status.conditions, 'Reconciling')?.reason !== trouble.reason) record(object, event);
  await writeStatus(cluster, object, { ...status, conditions });
}

/** A contest goes on too, since the object is reconciled again; only a suspension ends it, as nothing is repaired then. */
const LASTING: readonly ConditionType[] = [...LASTING_CONDITIONS, 'Contested'];

/** An object that was Ready stays Ready, unless its spec was changed since. */
function conditionsOf({ conditions }: DefectStatus, generation: number, trouble: Trouble): readonly NextCondition[] {
  const reconciling: NextCondition = { type: 'Reconciling', status: 'True', ...trouble };
  const lasting = LASTING.flatMap((type) => findCondition(conditions, type) ?? []) as readonly NextCondition[];
  const ready = findCondition(conditions, 'Ready');
  if (ready?.status === 'True' && ready.observedGeneration === generation) return [reconciling, ...lasting];
  // The mark that a removal has begun stays: see removal-under-way.ts.
  if (ready?.reason === 'Uninstalling')
    return [
      { type: 'Ready', status: 'False', reason: 'Uninstalling', message: trouble.message },
      reconciling,
      ...lasting,
    ];
  return [{ type: 'Ready', status: 'False', ...trouble }, reconciling, ...lasting];
}
