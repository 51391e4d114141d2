/**
 * When a Revision is reconciled again without a change that a watch reports: a deadline, a retry, the end of the bake
 * time.
 */
import { isReady } from '../../api/conditions.ts';
import { parseDuration } from '../../api/duration.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { Revision } from '../../api/revision.ts';
import { BAKE_TIME_BOUNDS, PROGRESS_DEADLINE_BOUNDS, type Subscription } from '../../api/subscription.ts';
import type { Result } from '../../kube/controller/controller.ts';
import type { Failure } from '../../apply/api-failure.ts';
import { certificatesDue, secondsUntilDue } from './certificates/roll-out.ts';
import type { RevisionDeps } from './deps.ts';
import { patienceOf } from './explain-unready.ts';
import { READ_AGAIN_SECONDS, unfollowed } from './own-kinds/observe.ts';
import type { RevisionFacts } from './observe.ts';
import { retryDelay } from './retry.ts';
import type { RollOut } from './roll-out.ts';
import { retryOf, secondsOfWork } from './summarize.ts';

export interface Written {
  readonly written: Revision;
  readonly subscription: Subscription;
  readonly outcome: RollOut;
  /** Why a leftover could not be deleted. */
  readonly unpruned?: Failure | undefined;
  /** Seconds until something that the Revision waits for; 0 if it waits for nothing. */
  readonly pauses: readonly number[];
}

/** When to reconcile again if no watch reports a change before. */
export function next(deps: RevisionDeps, { written, subscription, outcome, unpruned, pauses }: Written): Result {
  const retry = outcome.kind === 'applied' ? retryOf(outcome.result) : undefined;
  const [failure] = outcome.kind === 'applied' ? outcome.result.failures : [];
  if (failure !== undefined && retry !== undefined) throw new ReasonedError({ ...failure, retry });
  if (unpruned !== undefined) throw new ReasonedError({ ...unpruned, retry: 'backoff' });
  if (
    outcome.kind === 'applied' &&
    outcome.leftovers.length > 0 &&
    isReady({ ...written, status: written.status ?? {} })
  ) {
    return {
      requeueAfterSeconds: Math.max(0.1, bakeSecondsLeft(deps, { revision: written, subscription, siblings: [] })),
    };
  }
  const worked = secondsOfWork(written, deps.now());
  if (worked === undefined) return whenDue(deps, written, pauses);
  const deadline = parseDuration(subscription.spec.onFailure.progressDeadline, PROGRESS_DEADLINE_BOUNDS);
  const patience = worked < patienceOf(deadline) ? patienceOf(deadline) - worked : 30;
  const soonest = Math.min(patience, deadline - worked, ...pauses.filter((seconds) => seconds > 0));
  return { requeueAfterSeconds: Math.max(1, soonest) };
}

/**
 * Causes that no watch reports: certificates expire, some custom resources are not watched, and a contest ends when
 * nothing more happens.
 */
function whenDue({ managed, now }: RevisionDeps, { status }: Revision, pauses: readonly number[]): Result {
  const { inventory = [] } = status ?? {};
  const certificates = secondsUntilDue(certificatesDue(inventory, managed), now());
  const reading = unfollowed(managed, inventory).length > 0 ? READ_AGAIN_SECONDS : undefined;
  const known = [certificates, reading].filter((seconds) => seconds !== undefined);
  const due = [...pauses.filter((seconds) => seconds > 0), ...known];
  return due.length === 0 ? undefined : { requeueAfterSeconds: Math.min(...due) };
}

/** The values by which a failure is judged. */
export interface Failing {
  readonly onFailure: Subscription['spec']['onFailure'];
  readonly deadlineSeconds: number;
  /** `begin` of given-up.ts returned it. */
  readonly noteRefusal: (until?: Date) => void;
}

/** A rejected Revision rests: until the next attempt if it is to be retried, else until something changes. */
export function restAfter({ now }: RevisionDeps, written: Revision, { deadlineSeconds, noteRefusal }: Failing): Result {
  const worked = secondsOfWork(written, now());
  if (worked === undefined) return noteRefusal();
  const seconds = retryDelay(worked, deadlineSeconds);
  noteRefusal(new Date(now().getTime() + seconds * 1000));
  return { requeueAfterSeconds: seconds };
}

/** Seconds until leftovers may be pruned. */
export function bakeSecondsLeft({ now }: RevisionDeps, { revision, subscription }: RevisionFacts): number {
  const bake = parseDuration(subscription?.spec.onFailure.bakeTime ?? '0s', BAKE_TIME_BOUNDS);
  const ready = revision.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True');
  const since = ready === undefined ? now().getTime() : Date.parse(ready.lastTransitionTime);
  return bake - (now().getTime() - since) / 1000;
}
