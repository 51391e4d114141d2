/**
 * Elects one of several replicas as leader, by a Lease that the leader renews and the others watch. Its fence makes
 * that safe: a leader that was paused finds the fence closed before its next write. The leader runs `onStarted`; every
 * replica may read.
 */
import { leaderLost } from './fence.ts';
import { LeaseCandidate, type CandidateOptions } from './lease-candidate.ts';

export interface LeaderElectionOptions extends CandidateOptions {
  /** The leader's work: ends when `signal` aborts, by a shutdown or with LeaderLost. */
  readonly onStarted: (signal: AbortSignal) => Promise<void>;
  readonly onStopped?: (how: 'lost' | 'released') => void;
}

export interface LeaderElection {
  /**
   * Waits to lead, leads, and resolves with the way it ended: `lost` to another replica (restart the process, or run
   * again), `released` after `signal` aborted or the work ended, `never` when `signal` aborted before. Rejects with the
   * error of the work, after a release. The lease is released only when the work has ended.
   */
  run(signal: AbortSignal): Promise<'lost' | 'released' | 'never'>;
}

/** A candidate. @see https://kubernetes.io/docs/concepts/architecture/leases/ */
export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const candidate = new LeaseCandidate(options);
  const { name: lease, identity } = options;
  const standBy = (leader: string): void =>
    options.log?.info({ lease, identity, leader }, 'another replica leads; this one stands by');
  return {
    async run(signal) {
      if (!(await acquire(candidate, standBy, signal))) {
        await candidate.release(false); // the attempt that the shutdown cut off may have taken effect
        return 'never';
      }
      options.log?.info({ lease, identity }, 'this replica leads');
      return lead(candidate, options, signal);
    },
  };
}

/** Tries until this replica holds the lease; false when `signal` aborts first. @param standBy Called once for each other leader */
async function acquire(
  candidate: LeaseCandidate,
  standBy: (leader: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  let leader = '';
  while (!signal.aborted) {
    try {
      if (await candidate.attemptWithin(candidate.timings.renewSeconds / 2, signal)) return true;
      const { holder } = candidate;
      if (holder !== '' && holder !== leader) standBy(holder);
      leader = holder || leader;
      // A replica takes over as soon as the lease expires, instead of at its next attempt.
      await candidate.pause(signal, { mostSeconds: candidate.secondsUntilFree ?? Infinity });
    } catch (error) {
      if (signal.aborted) break;
      candidate.report(error);
      await candidate.pause(signal).catch(() => undefined);
    }
  }
  return false;
}

async function lead(
  candidate: LeaseCandidate,
  options: LeaderElectionOptions,
  signal: AbortSignal,
): Promise<'lost' | 'released'> {
  const work = new AbortController();
  const renewal = new AbortController();
  const stopWork = (): void => work.abort(signal.reason);
  if (signal.aborted) stopWork();
  signal.addEventListener('abort', stopWork, { once: true });
  const renewing = renew(candidate, renewal.signal);
  const working = endOf(options.onStarted(work.signal), work.signal);
  let lost = false;
  try {
    lost = await Promise.race([working.then(() => false), renewing]);
    if (lost) work.abort(leaderLost());
    await working;
    return lost ? 'lost' : 'released';
  } finally {
    signal.removeEventListener('abort', stopWork);
    renewal.abort();
    lost = (await renewing) || lost;
    await candidate.release(lost);
    options.onStopped?.(lost ? 'lost' : 'released');
  }
}

/** Aborted work may reject with the abort reason. */
async function endOf(work: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
  }
}

/** Renews until that fails for too long or another replica holds the lease (true), or `signal` aborts (false). */
async function renew(candidate: LeaseCandidate, signal: AbortSignal): Promise<boolean> {
  const { clock, timings, fence } = candidate;
  const secondsLeft = (): number => candidate.renewedAt + timings.renewSeconds - clock.now();
  let failed = false;
  while (!signal.aborted && secondsLeft() > 0) {
    try {
      const fresh = clock.now() < candidate.renewedAt + timings.retrySeconds;
      const seconds = failed ? secondsLeft() : Math.min(secondsLeft(), firstAttemptSeconds(candidate));
      if (!fresh && !(await candidate.attemptWithin(seconds, signal)) && !candidate.isHolder) break;
      failed = false;
      // The time of the lease counts from the start of a renewal, and so does the pause.
      await candidate.pause(signal, { lessSeconds: candidate.answeredAfter });
    } catch (error) {
      if (signal.aborted) break;
      failed = true;
      candidate.report(error);
      await candidate.pause(signal, { mostSeconds: timings.retrySeconds / 4 }).catch(() => undefined);
    }
  }
  if (signal.aborted) return false;
  fence.close();
  return true;
}

/**
 * Time limit of the first attempt: a dead connection costs this much, and the rest remains for the next attempt. An API server that
 * took long for the renewal before is slow, and gets longer, up to half of the time.
 */
function firstAttemptSeconds({ timings: { renewSeconds }, answeredAfter }: LeaseCandidate): number {
  return Math.max(renewSeconds / 4, Math.min(2 * answeredAfter, renewSeconds / 2));
}
