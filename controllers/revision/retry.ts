/**
 * The effect of `onFailure.strategy: Retry` on a Revision that is rejected: it is tried again until its deadline. Pure.
 */
import type { Subscription } from '../../api/subscription.ts';
import type { Judgement } from './summarize.ts';

type OnFailure = Pick<Subscription['spec']['onFailure'], 'strategy' | 'progressDeadline'>;

/** With `Retry` a rejection counts as work in progress; the deadline, which is judged afterwards, makes it final. */
export function judgeRetry(judgement: Judgement, { strategy, progressDeadline }: OnFailure): Judgement {
  if (strategy !== 'Retry' || judgement.state !== 'Failed') return judgement;
  const message = `${judgement.message}. It is tried again until the progress deadline of ${progressDeadline} is over`;
  return { ...judgement, state: 'Working', message };
}

const SOONEST_SECONDS = 5;
const LATEST_SECONDS = 300;

/**
 * Seconds until the next attempt: as long as the attempts have lasted so far, so that the pause doubles and a restart
 * of the manager does not change it. The last attempt is at the deadline.
 */
export function retryDelay(workedSeconds: number, deadlineSeconds: number): number {
  const left = Math.max(1, deadlineSeconds - workedSeconds);
  return Math.min(left, LATEST_SECONDS, Math.max(SOONEST_SECONDS, workedSeconds));
}
