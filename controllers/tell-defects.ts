/**
 * Reports a defect in the status of the object. An error with a reason is reported by the controller that meets it; an
 * error without one is a defect of Slipway, and would be in the log only. Both are retried with back-off.
 */
import {
  findCondition,
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

/** The same reconcile function; an error without a reason is written into the object's conditions and an event. */
export function tellDefects(reconcile: Reconcile, deps: DefectDeps): Reconcile {
  return async (key, context) => {
    try {
      return await reconcile(key, context);
    } catch (error) {
      const object = deps.objects.get(formatKey(key));
      const isDefect = !(error instanceof ReasonedError) && !context.signal.aborted;
      if (isDefect && object !== undefined)
        await tellTrouble(deps, object, describeDefect(error)).catch(() => undefined);
      throw error;
    }
  };
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

/** Writes the trouble into the conditions, and records an event if it is new. An object that was Ready stays Ready. */
export async function tellTrouble(
  { cluster, record, now }: Omit<DefectDeps, 'objects'>,
  object: KubeObject,
  trouble: Trouble,
): Promise<void> {
  const status = (object['status'] ?? {}) as DefectStatus;
  const observedGeneration = object.metadata.generation ?? 0;
  const told = conditionsOf(status, observedGeneration, trouble);
  const conditions = replaceConditions(status.conditions, told, { observedGeneration, now: now() });
  if (findCondition(status.conditions, 'Reconciling')?.reason !== trouble.reason) {
    record(object, { type: 'Warning', reason: trouble.reason, action: 'Reconcile', note: trouble.message });
  }
  await writeStatus(cluster, object, { ...status, conditions });
}

/** What a person is to know of stays true, whatever keeps the object from being reconciled. */
const LASTING: readonly ConditionType[] = ['UpgradeFailed', 'CustomResourcesLost', 'Contested'];

/** An object that was Ready stays Ready, unless its spec was changed since. */
function conditionsOf({ conditions }: DefectStatus, generation: number, trouble: Trouble): readonly NextCondition[] {
  const reconciling: NextCondition = { type: 'Reconciling', status: 'True', ...trouble };
  const lasting = LASTING.flatMap((type) => findCondition(conditions, type) ?? []) as readonly NextCondition[];
  const ready = findCondition(conditions, 'Ready');
  if (ready?.status === 'True' && ready.observedGeneration === generation) return [reconciling, ...lasting];
  return [{ type: 'Ready', status: 'False', ...trouble }, reconciling, ...lasting];
}
