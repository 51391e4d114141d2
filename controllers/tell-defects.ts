/**
 * Tells of a defect where people look. An error with a reason is told by the controller that meets it; one without
 * any is a defect of Slipway, and would be in the log only. It is retried with back-off as everything is.
 */
import { findCondition, replaceConditions, type Condition, type NextCondition } from '../api/conditions.ts';
import { ReasonedError } from '../api/errors.ts';
import type { KubeObject } from '../api/object.ts';
import type { Cluster } from '../apply/cluster.ts';
import { formatKey, type Reconcile } from '../kube/controller.ts';
import type { Informer } from '../kube/informer.ts';
import type { RecordEvent } from './events.ts';
import { writeStatus } from './status.ts';

export interface DefectDeps {
  /** The objects that are reconciled. */
  readonly objects: Pick<Informer, 'get'>;
  readonly cluster: Pick<Cluster, 'patch'>;
  readonly record: RecordEvent;
  readonly now: () => Date;
}

/** The same reconcile function, with what it throws without a reason in the object's conditions and in an event. */
export function tellDefects(reconcile: Reconcile, deps: DefectDeps): Reconcile {
  return async (key, context) => {
    try {
      return await reconcile(key, context);
    } catch (error) {
      const object = deps.objects.get(formatKey(key));
      const isDefect = !(error instanceof ReasonedError) && !context.signal.aborted;
      if (isDefect && object !== undefined) await tell(deps, object, error).catch(() => undefined);
      throw error;
    }
  };
}

interface Status {
  readonly conditions?: readonly Condition[];
}

async function tell({ cluster, record, now }: DefectDeps, object: KubeObject, error: unknown): Promise<void> {
  const message = `A defect of Slipway, please report it; it is tried again: ${error instanceof Error ? error.message : String(error)}`;
  const status = (object['status'] ?? {}) as Status;
  const observedGeneration = object.metadata.generation ?? 0;
  const conditions = replaceConditions(status.conditions, conditionsOf(status, observedGeneration, message), {
    observedGeneration,
    now: now(),
  });
  if (findCondition(status.conditions, 'Reconciling')?.reason !== 'InternalError') {
    record(object, { type: 'Warning', reason: 'InternalError', action: 'Reconcile', note: message });
  }
  await writeStatus(cluster, object, { ...status, conditions });
}

/** What was as asked is so still, unless something else was asked since. */
function conditionsOf({ conditions }: Status, generation: number, message: string): readonly NextCondition[] {
  const reconciling: NextCondition = { type: 'Reconciling', status: 'True', reason: 'InternalError', message };
  const ready = findCondition(conditions, 'Ready');
  if (ready?.status === 'True' && ready.observedGeneration === generation) return [reconciling];
  return [{ type: 'Ready', status: 'False', reason: 'InternalError', message }, reconciling];
}
