/**
 * Elects one of several replicas as leader, by a Lease that the leader renews and the others watch. Its fence makes
 * that safe: a leader that was paused finds the fence closed before its next write. The leader runs `onStarted`; every
 * replica may read.
 */
import { isAlreadyExists, isConflict } from '../../api/api-answers.ts';
import { type ApiError, unavailable } from '../../api/api-error.ts';
import { sleep, systemClock, type Clock } from '../clock.ts';
import { createLeaseFence, leaderLost, momentOf, type Fence, type LeaseFence } from './fence.ts';
import type { LeaseClient } from './lease-client.ts';
import {
  decideLease,
  DEFAULT_TIMINGS,
  holderOf,
  holdLease,
  observe,
  releaseLease,
  secondsUntilFree,
  type LeaseTimings,
  type SeenLease,
} from './lease-record.ts';
import { silentLog, type Log } from '../log.ts';
import { limitTime } from '../transport/time-limit.ts';

export interface LeaderElectionOptions {
  /** Not fenced, since it renews the lease. Give it a connection of its own: see lease-client.ts. */
  readonly client: LeaseClient;
  readonly namespace: string;
  readonly name: string;
  /** Unique to this process, also across restarts: host name and a random part. */
  readonly identity: string;
  /** The leader's work: ends when `signal` aborts, by a shutdown or with LeaderLost. */
  readonly onStarted: (signal: AbortSignal) => Promise<void>;
  readonly onStopped?: (how: 'lost' | 'released') => void;
  /** Called when another identity leads; empty if there is no leader. */
  readonly onNewLeader?: (identity: string) => void;
  /**
   * Called when an attempt got no answer for this long, and the next one, over another connection, got one much sooner: the
   * first connection is dead, and others may be. A server that is slow for both is only busy.
   */
  readonly onSilence?: (seconds: number) => void;
  readonly timings?: LeaseTimings;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly log?: Log;
}

export interface LeaderElection {
  /** Open while this process leads; for `fencedTransport`. */
  readonly fence: Fence;
  /** The known leader. */
  leader(): string;
  /**
   * Waits to lead, leads, and resolves with the way it ended: `lost` to another replica (restart the process, or run
   * again), `released` after `signal` aborted or the work ended, `never` when `signal` aborted before. Rejects with the
   * error of the work, after a release. The lease is released only when the work has ended.
   */
  run(signal: AbortSignal): Promise<'lost' | 'released' | 'never'>;
}

/** A candidate. @see https://kubernetes.io/docs/concepts/architecture/leases/ */
export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const candidate = createCandidate(options);
  return {
    fence: candidate.fence,
    leader: () => holderOf(candidate.observation()?.lease),
    async run(signal) {
      if (!(await acquire(candidate, signal))) return 'never';
      options.log?.info({ lease: options.name, identity: options.identity }, 'leading');
      return lead(candidate, options, signal);
    },
  };
}

/** A shutdown waits no longer than this for the release. */
export const RELEASE_MILLISECONDS = 5000;

interface LeaderCandidate {
  readonly fence: LeaseFence;
  readonly timings: LeaseTimings;
  readonly clock: Clock;
  /** One attempt to become or stay the holder; false when another replica is. Throws ApiError. */
  attempt(signal: AbortSignal): Promise<boolean>;
  /** Closes the fence and, unless the lease was lost, frees the lease for others. */
  release(lost: boolean): Promise<void>;
  isHolder(): boolean;
  /** Start of the last successful renewal. */
  renewedAt(): number;
  /** Seconds until it was answered. */
  answeredAfter(): number;
  observation(): SeenLease | undefined;
  /** Waits for the next attempt, with jitter, `lessSeconds` less than usual, and no longer than `mostSeconds`. */
  pause(
    signal: AbortSignal,
    limits?: { readonly mostSeconds?: number | undefined; readonly lessSeconds?: number },
  ): Promise<void>;
  report(error: unknown): void;
  /** An attempt got no answer for this long. */
  noteSilence(seconds: number): void;
  /** An attempt was answered after this long. */
  noteAnswer(seconds: number): void;
}

function createCandidate(options: LeaderElectionOptions): LeaderCandidate {
  const { client, namespace, name, identity, clock = systemClock, timings = DEFAULT_TIMINGS } = options;
  const { random = Math.random, log = silentLog } = options;
  const ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name };
  const fence = createLeaseFence(clock);
  let seen: SeenLease | undefined;
  let renewedAt = -Infinity;
  let silence: number | undefined;
  let answeredAfter = 0;
  /** Whether a write may have taken effect without an answer: then the lease that is known may be an old one. */
  let isUnsure = false;
  const report = (error: unknown): void =>
    log.warn({ lease: name, err: error }, 'the lease could not be read or renewed');

  function remember(lease: SeenLease['lease']): SeenLease {
    const before = seen === undefined ? undefined : holderOf(seen.lease);
    seen = observe(seen, lease, clock.now());
    if (before !== holderOf(lease)) options.onNewLeader?.(holderOf(lease));
    return seen;
  }

  async function attempt(signal: AbortSignal, again = true): Promise<boolean> {
    const holds = holderOf(seen?.lease) === identity && !isUnsure;
    const known = holds ? (seen as SeenLease) : remember(await client.get(ref, signal));
    const decision = decideLease(known, identity, clock.now());
    if (decision === 'wait') return false;
    const began = momentOf(clock);
    const wanted = holdLease(known.lease, { ...timings, namespace, name, identity, wall: began.wall });
    isUnsure = true;
    try {
      remember(await (decision === 'create' ? client.create(wanted, {}, signal) : client.update(wanted, {}, signal)));
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error)) throw error;
      remember(await client.get(ref, signal));
      isUnsure = false;
      // A renewal may have taken effect without an answer: the next write decides.
      return again && holderOf(seen?.lease) === identity && attempt(signal, false);
    }
    isUnsure = false;
    renewedAt = began.steady;
    answeredAfter = clock.now() - began.steady;
    fence.extend(began, timings.renewSeconds);
    return true;
  }

  return {
    fence,
    timings,
    clock,
    attempt: (signal) => attempt(signal),
    async release(lost) {
      fence.close();
      if (lost || seen?.lease === undefined || holderOf(seen.lease) !== identity) return;
      const released = releaseLease(seen.lease, clock.wall());
      await client.update(released, {}, AbortSignal.timeout(RELEASE_MILLISECONDS)).then(remember, report);
    },
    isHolder: () => holderOf(seen?.lease) === identity,
    renewedAt: () => renewedAt,
    answeredAfter: () => answeredAfter,
    observation: () => seen,
    pause: (signal, { mostSeconds = Infinity, lessSeconds = 0 } = {}) => {
      const seconds = Math.max(0, timings.retrySeconds * (1 + random() / 5) - lessSeconds);
      return sleep(Math.min(seconds, mostSeconds), { clock, signal });
    },
    report,
    noteSilence: (seconds) => void (silence = seconds),
    noteAnswer(seconds) {
      if (silence !== undefined && seconds < silence / 2) options.onSilence?.(silence);
      silence = undefined;
    },
  };
}

/** Tries until this replica holds the lease; false when `signal` aborts first. */
async function acquire(candidate: LeaderCandidate, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    try {
      if (await attemptWithin(candidate, candidate.timings.renewSeconds / 2, signal)) return true;
      await candidate.pause(signal, { mostSeconds: untilFree(candidate) });
    } catch (error) {
      if (signal.aborted) break;
      candidate.report(error);
      await candidate.pause(signal).catch(() => undefined);
    }
  }
  return false;
}

/** Seconds until the lease expires, so that a replica takes over at once instead of at its next attempt. */
function untilFree(candidate: LeaderCandidate): number | undefined {
  const seen = candidate.observation();
  const seconds = seen === undefined ? 0 : secondsUntilFree(seen, candidate.clock.now());
  return seconds > 0 ? seconds : undefined;
}

async function lead(
  candidate: LeaderCandidate,
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
async function renew(candidate: LeaderCandidate, signal: AbortSignal): Promise<boolean> {
  const { clock, timings, fence } = candidate;
  const secondsLeft = (): number => candidate.renewedAt() + timings.renewSeconds - clock.now();
  let failed = false;
  while (!signal.aborted && secondsLeft() > 0) {
    try {
      const fresh = clock.now() < candidate.renewedAt() + timings.retrySeconds;
      const seconds = failed ? secondsLeft() : Math.min(secondsLeft(), firstAttemptSeconds(candidate));
      if (!fresh && !(await attemptWithin(candidate, seconds, signal)) && !candidate.isHolder()) break;
      failed = false;
      // The time of the lease counts from the start of a renewal, and so does the pause.
      await candidate.pause(signal, { lessSeconds: candidate.answeredAfter() });
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
 * took long for the renewal before is slow, and gets longer.
 */
function firstAttemptSeconds(candidate: LeaderCandidate): number {
  return Math.max(candidate.timings.renewSeconds / 4, 2 * candidate.answeredAfter());
}

async function attemptWithin(candidate: LeaderCandidate, seconds: number, signal: AbortSignal): Promise<boolean> {
  const late = (): ApiError => {
    candidate.noteSilence(seconds);
    return unavailable('read or renew the lease', `no answer within ${seconds.toFixed(1)} s`);
  };
  const limit = limitTime(seconds, { clock: candidate.clock, signal, late });
  const startedAt = candidate.clock.now();
  try {
    const holds = await candidate.attempt(limit.signal);
    candidate.noteAnswer(candidate.clock.now() - startedAt);
    return holds;
  } finally {
    limit.end();
  }
}
