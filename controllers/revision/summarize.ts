/** The status of a Revision, from the outcome of a roll-out. Pure. */
import type { ApplyResult, PhaseResult, Unready } from '../../apply/apply.ts';
import type { Failure } from '../../apply/api-failure.ts';
import type { InventoryEntry } from '../../apply/inventory.ts';
import type { Removal } from '../../apply/remove.ts';
import {
  findCondition,
  formatTime,
  replaceConditions,
  type ConditionType,
  type NextCondition,
} from '../../api/conditions.ts';
import { redact, type Retry } from '../../api/errors.ts';
import { ANNOTATION } from '../../api/names.ts';
import { describeRef } from '../../api/object.ts';
import type { Reason } from '../../api/reasons.ts';
import { MOST_LOSSES } from '../../api/repair.ts';
import type { Phase, Revision, RevisionStatus } from '../../api/revision.ts';

/** The judgement about a Revision, before it becomes conditions. */
export interface Judgement {
  readonly state: 'Ready' | 'Working' | 'Failed' | 'Resting';
  readonly reason: Reason;
  readonly message: string;
  /** The work that is left although it is Ready, such as pruning. */
  readonly unfinished?: string;
  /** The message, short enough for a column; absent if the message is short. */
  readonly brief?: string;
  /** Seconds until the next check, if no watch will report the change. */
  readonly askAgainSeconds?: number;
}

/** One check of several found no fault. */
export const WORKS: Judgement = { state: 'Ready', reason: 'Succeeded', message: '' };

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
  /** Why a leftover could not be deleted: pruning is tried again. */
  readonly unpruned?: Failure;
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
  const requested = revision.metadata.annotations?.[ANNOTATION.reconcileRequestedAt];
  return {
    ...before,
    observedGeneration,
    ...(requested !== undefined && { lastHandledReconcileAt: requested.slice(0, 256) }),
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
function conditionsFor({ state, reason, message, unfinished, brief }: Judgement): readonly NextCondition[] {
  const shown = (rest: ConditionType): string =>
    brief === undefined ? message : `${brief} (the condition ${rest} lists all)`;
  switch (state) {
    case 'Ready': {
      const ready: NextCondition = { type: 'Ready', status: 'True', reason, message };
      if (unfinished === undefined) return [ready];
      return [ready, { type: 'Reconciling', status: 'True', reason: 'Progressing', message: unfinished }];
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

/** The outcome of an apply, in a sentence. A failure that a retry may cure is work in progress. */
export function judgeApply(result: ApplyResult): Judgement {
  if (result.failures.length > 0) return judgeFailures(result.failures);
  const count = result.phases.reduce((sum, { objects }) => sum + objects.length, 0);
  if (result.state === 'Complete')
    return { state: 'Ready', reason: 'Succeeded', message: `${count} objects are applied and healthy` };
  const message = describeWaiting(result.phases);
  const final = result.phases.flatMap(({ unready }) => unready).find(({ health }) => health.reason !== undefined);
  if (final?.health.reason === undefined) return { state: 'Working', reason: 'Progressing', message };
  const { reason, message: why } = final.health;
  return { state: 'Failed', reason, message: `${describeRef(final.ref)}: ${why}` };
}

/** The most failures that are named one by one. */
const MOST_NAMED = 5;

/** Final failures come before those that a retry may cure; of several failures of one reason, each is named. */
function judgeFailures(failures: readonly Failure[]): Judgement {
  const final = failures.filter(({ retry }) => retry === 'never');
  const [first] = [...final, ...failures] as [Failure];
  const alike = failures.filter(({ reason }) => reason === first.reason).slice(0, MOST_NAMED);
  const others = failures.length - alike.length;
  const hints = new Set(alike.flatMap(({ hint }) => hint ?? []));
  const message = [alike.map((failure) => failure.message).join('; '), ...hints].join('. ');
  return {
    state: final.length > 0 ? 'Failed' : 'Working',
    reason: first.reason,
    message: others > 0 ? `${message} (and ${others} more)` : message,
    ...(first.reason === 'Forbidden' && message.length > LONGEST_SHOWN && { brief: `${message.slice(0, SHOWN)}…` }),
  };
}

/** A bundle may lack many rights, and the API server lists all of them in one sentence. */
const LONGEST_SHOWN = 300;
const SHOWN = 200;

/** The soonest retry that a failure of the apply requires. */
export function retryOf({ failures }: ApplyResult): Retry | undefined {
  const retries = failures.map(({ retry }) => retry).filter((retry) => retry !== 'never');
  return retries.find((retry) => typeof retry === 'object') ?? retries[0];
}

/** Judges the health of a Revision that was fully applied before. */
export function judgeHealth(unready: readonly Unready[], objects: number): Judgement {
  const [first] = unready;
  if (first === undefined)
    return { state: 'Ready', reason: 'Succeeded', message: `${objects} objects are applied and healthy` };
  return {
    state: 'Working',
    reason: 'WorkloadUnhealthy',
    message: `${describeRef(first.ref)}: ${first.health.message}`,
  };
}

/**
 * After pruning: the Revision stays Ready, but is not finished before every leftover is gone. An object that a
 * finalizer holds is named, and a watch reports its end; a failed deletion is tried again.
 */
export function judgePruning(
  judgement: Judgement,
  removals: readonly Removal[],
): Pick<RevisionFindings, 'judgement' | 'unpruned'> {
  const [unpruned] = removals.flatMap(({ failure }) => failure ?? []);
  const held = removals.find(({ outcome }) => outcome === 'deleting');
  const message = unpruned?.message ?? (held && `${describeRef(held.ref)}: ${held.message ?? 'it is being deleted'}`);
  if (message === undefined) return { judgement };
  const unfinished = `An object that only earlier revisions had is not pruned yet: ${message}`;
  return { judgement: { ...judgement, unfinished }, ...(unpruned !== undefined && { unpruned }) };
}

/** Turns work that takes longer than its deadline into a failure, which ends only when the Revision becomes healthy. */
export function judgeDeadline(
  judgement: Judgement,
  revision: Revision,
  options: { readonly deadlineSeconds: number; readonly now: Date },
): Judgement {
  if (judgement.state !== 'Working') return judgement;
  const late = findCondition(revision.status?.conditions, 'Stalled')?.reason === 'ProgressDeadlineExceeded';
  if (!late && (secondsOfWork(revision, options.now) ?? 0) < options.deadlineSeconds) return judgement;
  return {
    state: 'Failed',
    reason: 'ProgressDeadlineExceeded',
    message: `Not healthy within ${options.deadlineSeconds} s: ${judgement.message}`,
    ...(judgement.brief !== undefined && {
      brief: `Not healthy within ${options.deadlineSeconds} s: ${judgement.brief}`,
    }),
  };
}

/** Seconds since the roll-out began without becoming healthy; undefined if none is in progress. */
export function secondsOfWork({ status }: Revision, now: Date): number | undefined {
  const since = findCondition(status?.conditions, 'Reconciling')?.lastTransitionTime;
  return since === undefined ? undefined : (now.getTime() - Date.parse(since)) / 1000;
}

function describeWaiting(phases: readonly PhaseResult[]): string {
  const unready = phases.flatMap((phase) => phase.unready)[0];
  if (unready !== undefined) return `${describeRef(unready.ref)}: ${unready.health.message}`;
  const waiting = phases.find(({ state }) => state !== 'Done');
  const message = waiting?.objects.find((object) => object.message !== undefined)?.message;
  return message ?? `Phase ${waiting?.name ?? 'unknown'} is under way`;
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
