/** The status of a Revision, from its judgement and the findings of a roll-out. Pure. */
import type { ApplyResult } from '../../apply/apply.ts';
import type { InventoryEntry } from '../../apply/inventory.ts';
import { formatTime, replaceConditions, type ConditionType, type NextCondition } from '../../api/conditions.ts';
import { redact } from '../../api/errors.ts';
import { describeRef } from '../../api/object.ts';
import { MOST_LOSSES } from '../../api/repair.ts';
import type { Phase, Revision, RevisionStatus } from '../../api/revision.ts';
import { requestOf } from '../request-of.ts';
import type { Judgement } from './judgement.ts';

export interface RevisionFindings {
  readonly judgement: Judgement;
  readonly inventory?: readonly InventoryEntry[];
  readonly phases?: readonly Phase[];
  /** The last repair, and the custom resources that were lost for good. */
  readonly lastRepair?: RevisionStatus['lastRepair'];
  readonly losses?: RevisionStatus['losses'];
  /** Contests with other programs, a sentence each. */
  readonly contested?: readonly string[];
  /** Why it failed, if it is not tried again. */
  readonly failure?: NonNullable<RevisionStatus['failure']>;
}

/** The new status: conditions from the judgement, the rest from the findings or unchanged. */
export function summarizeRevision(revision: Revision, findings: RevisionFindings, now: Date): RevisionStatus {
  const { judgement, inventory, phases } = findings;
  const { failure: known, ...before }: RevisionStatus = revision.status ?? {};
  const failure = judgement.state === 'Ready' ? undefined : (findings.failure ?? known);
  const observedGeneration = revision.metadata.generation ?? 0;
  const firstReadyTime = before.firstReadyTime ?? (judgement.state === 'Ready' ? formatTime(now) : undefined);
  const judged = [...conditionsFor(judgement), ...contestIn(findings)];
  const conditions = replaceConditions(before.conditions, judged, { observedGeneration, now });
  const losses = [...(before.losses ?? []), ...(findings.losses ?? [])].slice(-MOST_LOSSES);
  const requested = requestOf(revision);
  return {
    ...before,
    observedGeneration,
    ...(requested !== undefined && { lastHandledReconcileAt: requested }),
    conditions,
    ...(firstReadyTime !== undefined && { firstReadyTime }),
    ...(inventory !== undefined && { inventory }),
    ...(phases !== undefined && { phases }),
    ...(failure !== undefined && { failure }),
    ...(findings.lastRepair !== undefined && { lastRepair: findings.lastRepair }),
    ...(losses.length > 0 && { losses }),
  };
}

function contestIn({ contested = [] }: RevisionFindings): readonly NextCondition[] {
  if (contested.length === 0) return [];
  return [{ type: 'Contested', status: 'True', reason: 'Contested', message: contested.join('; ') }];
}

/** Ready is shown as a column: if its message is too long for that, the condition beside it has the full text. */
function conditionsFor({ state, reason, message, brief, ...rest }: Judgement): readonly NextCondition[] {
  const shown = (beside: ConditionType): string =>
    brief === undefined ? message : `${brief} (the condition ${beside} lists all)`;
  switch (state) {
    case 'Ready': {
      const ready: NextCondition = { type: 'Ready', status: 'True', reason, message };
      const { unfinished, unfinishedReason = 'Progressing' } = rest;
      if (unfinished === undefined) return [ready];
      return [ready, { type: 'Reconciling', status: 'True', reason: unfinishedReason, message: unfinished }];
    }
    case 'Working':
      return [
        { type: 'Ready', status: 'False', reason, message: shown('Reconciling') },
        { type: 'Reconciling', status: 'True', reason: 'Progressing', message },
      ];
    case 'Failed':
      return [
        { type: 'Ready', status: 'False', reason, message: shown('Stalled') },
        { type: 'Stalled', status: 'True', reason, message },
      ];
    case 'Resting':
      return [{ type: 'Ready', status: 'False', reason, message }];
  }
}

const PHASE_STATE = { Done: 'Ready', NotReady: 'Waiting', Failed: 'Failed', Waiting: 'Pending' } as const;

/** `status.phases`, from the result of an apply. */
export function phasesOf(result: ApplyResult): readonly Phase[] {
  return result.phases.map((phase) => {
    const failure = phase.objects.find((object) => object.failure !== undefined)?.failure?.message;
    const unready = phase.unready[0];
    const message = failure ?? (unready && `${describeRef(unready.ref)}: ${unready.health.message}`);
    const applied = phase.objects.filter(({ entry }) => entry !== undefined).length;
    return {
      name: phase.name,
      state: PHASE_STATE[phase.state],
      objects: phase.objects.length,
      ready: applied - phase.unready.length,
      ...(message !== undefined && { message: redact(message).slice(0, 1024) }),
    };
  });
}
