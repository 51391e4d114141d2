/**
 * The judgement about a Revision, how several become one, and how the policy for failures changes it. Pure; status.ts
 * turns the final one into conditions.
 */
import { findCondition } from '../../api/conditions.ts';
import { parseDuration } from '../../api/duration.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { PROGRESS_DEADLINE_BOUNDS } from '../../api/subscription-spec.ts';

export interface Judgement {
  readonly state: 'Ready' | 'Working' | 'Failed' | 'Resting';
  readonly reason: Reason;
  readonly message: string;
  /** The work that is left although it is Ready, such as pruning. */
  readonly unfinished?: string;
  /** What keeps that from being done, if it does not end by itself. */
  readonly unfinishedReason?: Reason;
  /** The message, short enough for a column; absent if the message is short. */
  readonly brief?: string;
  /** Present for a wait that does not count towards the progress deadline. */
  readonly untimed?: true;
  /** Seconds until the next check, if no watch will report the change. */
  readonly askAgainSeconds?: number;
}

/** The judgement of a check that found no fault. */
export const NO_FAULT: Judgement = { state: 'Ready', reason: 'Succeeded', message: '' };

/** From good to bad. */
const SEVERITY = { Ready: 0, Resting: 1, Working: 2, Failed: 3 } as const;

/** The worst judgement; of several that are equally bad the last, since a later check knows more of the cause. */
export function worstOf(first: Judgement, ...others: readonly Judgement[]): Judgement {
  return others.reduce((worst, next) => {
    const isHidden = next.state === 'Ready' || SEVERITY[next.state] < SEVERITY[worst.state];
    return isHidden ? worst : next;
  }, first);
}

export type OnFailure = Pick<Subscription['spec']['onFailure'], 'strategy' | 'progressDeadline'>;

/** The most seconds that a roll-out may take. */
export function deadlineSecondsOf({ progressDeadline }: Pick<OnFailure, 'progressDeadline'>): number {
  return parseDuration(progressDeadline, PROGRESS_DEADLINE_BOUNDS);
}

/** The time that counts towards the progress deadline. */
export interface WorkTime {
  readonly now: Date;
  /**
   * Since when the manager has worked on it, and the API server has answered: the time before says nothing of the bundle.
   * Absent after an attempt that the API server did not answer.
   */
  readonly attendedSince?: Date | undefined;
}

/** The judgement that `onFailure` makes of the judgement of an attempt: retried until the deadline, failed after it. */
export function underPolicy(judgement: Judgement, revision: Revision, policy: OnFailure, time: WorkTime): Judgement {
  return judgeDeadline(judgeRetry(judgement, policy), revision, {
    deadlineSeconds: deadlineSecondsOf(policy),
    ...time,
  });
}

/** With `Retry` a rejection counts as work in progress; the deadline, which is judged afterwards, makes it final. */
export function judgeRetry(judgement: Judgement, { strategy, progressDeadline }: OnFailure): Judgement {
  if (strategy !== 'Retry' || judgement.state !== 'Failed') return judgement;
  const message = `${judgement.message}. It is tried again until the progress deadline of ${progressDeadline} is over`;
  return { ...judgement, state: 'Working', message };
}

/** Turns work that takes longer than its deadline into a failure, which ends only when the Revision becomes healthy. */
export function judgeDeadline(
  judgement: Judgement,
  { status }: Pick<Revision, 'status'>,
  { deadlineSeconds, ...time }: WorkTime & { readonly deadlineSeconds: number },
): Judgement {
  if (judgement.state !== 'Working' || judgement.untimed === true) return judgement;
  if (!isLate(status) && (secondsOfWork(status, time) ?? 0) < deadlineSeconds) return judgement;
  return {
    state: 'Failed',
    // The Subscription may see only now that it became unhealthy within the bake time.
    reason: judgement.reason === 'WorkloadUnhealthy' ? judgement.reason : 'ProgressDeadlineExceeded',
    message: `Not healthy within ${deadlineSeconds} s: ${judgement.message}`,
    ...(judgement.brief !== undefined && { brief: `Not healthy within ${deadlineSeconds} s: ${judgement.brief}` }),
  };
}

/** Whether its deadline is over, and it has not become healthy since. */
function isLate(status: Revision['status']): boolean {
  const reason = findCondition(status?.conditions, 'Stalled')?.reason;
  return reason === 'ProgressDeadlineExceeded' || reason === 'WorkloadUnhealthy';
}

/**
 * Seconds of the roll-out that count, since it began or since it was healthy; undefined if none is in progress. A healthy
 * Revision with leftovers is in progress, and has used no time.
 */
export function secondsOfWork(status: Revision['status'], { now, attendedSince = now }: WorkTime): number | undefined {
  const since = findCondition(status?.conditions, 'Reconciling')?.lastTransitionTime;
  if (since === undefined) return undefined;
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready?.status === 'True') return 0;
  const begins = [since, ready?.lastTransitionTime ?? since].map((time) => Date.parse(time));
  return (now.getTime() - Math.max(...begins, attendedSince.getTime())) / 1000;
}
