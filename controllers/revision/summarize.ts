/** The status of a Revision, from what a roll-out came to. Pure. */
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

/** What there is to say about a Revision, before it becomes conditions. */
export interface Judgement {
  readonly state: 'Ready' | 'Working' | 'Failed' | 'Resting';
  readonly reason: Reason;
  readonly message: string;
  /** Ready, and still something to do, such as pruning. */
  readonly unfinished?: string;
  /** The same, short enough for a column, where the message is not. */
  readonly brief?: string;
  /** Where no watch will tell that something has changed. */
  readonly askAgainSeconds?: number;
}

/** Nothing is against it, as far as one question of several goes. */
export const WORKS: Judgement = { state: 'Ready', reason: 'Succeeded', message: '' };

export interface RevisionFindings {
  readonly judgement: Judgement;
  readonly inventory?: readonly InventoryEntry[];
  readonly phases?: readonly Phase[];
  /** What was put right, and what was lost for good. */
  readonly lastRepair?: RevisionStatus['lastRepair'];
  readonly losses?: RevisionStatus['losses'];
  /** Fights with other programs, a sentence each. */
  readonly contested?: readonly string[];
  /** Why it was given up. */
  readonly failure?: NonNullable<RevisionStatus['failure']>;
  /** Why an object that only earlier Revisions had is still there: pruning is tried again. */
  readonly unpruned?: Failure;
}

/** The new status: conditions from the judgement, the rest as found or as it was. */
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

/** Ready is shown as a column: what is too long for that is in full in the condition beside it. */
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

/** What an apply came to, in a sentence. A failure that a retry may cure is work under way. */
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

/** Failures that are named one by one. */
const MOST_NAMED = 5;

/** What is final is told before what a retry may cure; of several failures of one reason, each is named. */
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

/** Rights that are missing can be as many as a bundle has: an API server lists all of them in one sentence. */
const LONGEST_SHOWN = 300;
const SHOWN = 200;

/** The soonest retry that a failure of the apply asks for. */
export function retryOf({ failures }: ApplyResult): Retry | undefined {
  const retries = failures.map(({ retry }) => retry).filter((retry) => retry !== 'never');
  return retries.find((retry) => typeof retry === 'object') ?? retries[0];
}

/** After everything was applied once: is it still healthy? */
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
 * After pruning: what works is Ready, and not finished before every object that only earlier Revisions had is gone.
 * What a finalizer holds is named, and a watch reports its end; what failed is tried again.
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

/** Turns work that takes longer than its deadline into a failure, which only success ends. */
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

/** For how long the Revision has been worked on without becoming healthy; undefined while it is not. */
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

/** `status.phases`. */
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
