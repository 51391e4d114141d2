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
  /** The message, short enough for a column; absent if the message is short. */
  readonly brief?: string;
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

/** The judgement that `onFailure` makes of the judgement of an attempt: retried until the deadline, failed after it. */
export function underPolicy(judgement: Judgement, revision: Revision, policy: OnFailure, now: Date): Judgement {
  return judgeDeadline(judgeRetry(judgement, policy), revision, { deadlineSeconds: deadlineSecondsOf(policy), now });
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
  revision: Revision,
  options: { readonly deadlineSeconds: number; readonly now: Date },
): Judgement {
  if (judgement.state !== 'Working') return judgement;
  const late = findCondition(revision.status?.conditions, 'Stalled')?.reason === 'ProgressDeadlineExceeded';
  if (!late && (secondsOfWork(revision.status, options.now) ?? 0) < options.deadlineSeconds) return judgement;
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
export function secondsOfWork(status: Revision['status'], now: Date): number | undefined {
  const since = findCondition(status?.conditions, 'Reconciling')?.lastTransitionTime;
  return since === undefined ? undefined : (now.getTime() - Date.parse(since)) / 1000;
}
