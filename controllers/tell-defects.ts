/**
 * Tells of a defect where people look. An error with a reason is told by the controller that meets it; one without
 * any is a defect of Slipway, and would be in the log only. It is retried with back-off as everything is.
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
import type { Cluster } from '../apply/cluster.ts';
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

/** The same reconcile function, with what it throws without a reason in the object's conditions and in an event. */
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

/** What keeps an object from being reconciled at all. */
export interface Trouble {
  readonly reason: Reason;
  readonly message: string;
}

interface Status {
  readonly conditions?: readonly Condition[];
}

/** Writes it into the conditions, and an event where it is new. What was as asked is so still. */
export async function tellTrouble(
  { cluster, record, now }: Omit<DefectDeps, 'objects'>,
  object: KubeObject,
  trouble: Trouble,
): Promise<void> {
  const status = (object['status'] ?? {}) as Status;
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

/** What was as asked is so still, unless something else was asked since. */
function conditionsOf({ conditions }: Status, generation: number, trouble: Trouble): readonly NextCondition[] {
  const reconciling: NextCondition = { type: 'Reconciling', status: 'True', ...trouble };
  const lasting = LASTING.flatMap((type) => findCondition(conditions, type) ?? []) as readonly NextCondition[];
  const ready = findCondition(conditions, 'Ready');
  if (ready?.status === 'True' && ready.observedGeneration === generation) return [reconciling, ...lasting];
  return [{ type: 'Ready', status: 'False', ...trouble }, reconciling, ...lasting];
}
