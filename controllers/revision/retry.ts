/** What `onFailure.strategy: Retry` does about a Revision that is refused: it is tried again until its deadline. Pure. */
import type { Subscription } from '../../api/subscription.ts';
import type { Judgement } from './summarize.ts';

type OnFailure = Pick<Subscription['spec']['onFailure'], 'strategy' | 'progressDeadline'>;

/** With `Retry` a refusal is work under way; the deadline, which is judged afterwards, makes it final. */
export function judgeRetry(judgement: Judgement, { strategy, progressDeadline }: OnFailure): Judgement {
  if (strategy !== 'Retry' || judgement.state !== 'Failed') return judgement;
  const message = `${judgement.message}. It is tried again until the progress deadline of ${progressDeadline} is over`;
  return { ...judgement, state: 'Working', message };
}

const SOONEST_SECONDS = 5;
const LATEST_SECONDS = 300;

/**
 * Seconds until the next attempt: as long as it has been tried already, so that the time doubles, and a restart of the
 * manager changes nothing about it. The last attempt is at the deadline.
 */
export function retryDelay(workedSeconds: number, deadlineSeconds: number): number {
  const left = Math.max(1, deadlineSeconds - workedSeconds);
  return Math.min(left, LATEST_SECONDS, Math.max(SOONEST_SECONDS, workedSeconds));
}
