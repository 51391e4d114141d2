/** One replica and its Lease: the attempts to become or stay the holder, and all that it has seen of the lease. */
import { isAlreadyExists, isConflict } from '../../api/api-answers.ts';
import { type ApiError, unavailable } from '../../api/api-error.ts';
import type { Kind } from '../../api/object.ts';
import { sleep, systemClock, type Clock } from '../clock.ts';
import { silentLog, type Log } from '../log.ts';
import { limitTime } from '../transport/time-limit.ts';
import { momentOf, type LeaseFence } from './fence.ts';
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

export interface CandidateOptions {
  /** Not fenced, since it renews the lease. Give it a connection of its own: see lease-client.ts. */
  readonly client: LeaseClient;
  readonly namespace: string;
  readonly name: string;
  /** Unique to this process, also across restarts: host name and a random part. */
  readonly identity: string;
  /** Open while this process leads, by the same clock; for `fencedTransport`. */
  readonly fence: LeaseFence;
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

/** A shutdown waits no longer than this for the release. */
export const RELEASE_MILLISECONDS = 5000;

interface PauseLimits {
  readonly mostSeconds?: number;
  readonly lessSeconds?: number;
}

export class LeaseCandidate {
  readonly fence: LeaseFence;
  readonly timings: LeaseTimings;
  readonly clock: Clock;
  readonly #options: CandidateOptions;
  readonly #log: Log;
  readonly #ref: Kind & { readonly namespace: string; readonly name: string };
  #seen: SeenLease | undefined;
  #renewedAt = -Infinity;
  #answeredAfter = 0;
  /** Whether a write may have taken effect without an answer: then the lease that is known may be an old one. */
  #isUnsure = false;
  /** The limit of the last attempt, if it got no answer within it. */
  #silence: number | undefined;

  constructor(options: CandidateOptions) {
    const { namespace, name } = options;
    this.#options = options;
    this.timings = options.timings ?? DEFAULT_TIMINGS;
    this.clock = options.clock ?? systemClock;
    this.#log = options.log ?? silentLog;
    this.fence = options.fence;
    this.#ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name };
  }

  /** Whether this replica is the known leader. */
  get isHolder(): boolean {
    return this.holder === this.#options.identity;
  }

  /** Identity of the known leader; empty if there is none. */
  get holder(): string {
    return holderOf(this.#seen?.lease);
  }

  /** Start of the last successful renewal. */
  get renewedAt(): number {
    return this.#renewedAt;
  }

  /** Seconds until it was answered. */
  get answeredAfter(): number {
    return this.#answeredAfter;
  }

  /** Seconds until the lease expires; undefined if it is free, or not known. */
  get secondsUntilFree(): number | undefined {
    const seconds = this.#seen === undefined ? 0 : secondsUntilFree(this.#seen, this.clock.now());
    return seconds > 0 ? seconds : undefined;
  }

  /** One attempt to become or stay the holder; false when another replica is. @throws ApiError, also after `seconds` */
  async attemptWithin(seconds: number, signal: AbortSignal): Promise<boolean> {
    const late = (): ApiError => {
      this.#silence = seconds;
      return unavailable('read or renew the lease', `no answer within ${seconds.toFixed(1)} s`);
    };
    const limit = limitTime(seconds, { clock: this.clock, signal, late });
    const startedAt = this.clock.now();
    try {
      const holds = await this.#attempt(limit.signal);
      this.#noteAnswer(this.clock.now() - startedAt);
      return holds;
    } finally {
      limit.end();
    }
  }

  /** Closes the fence and, unless the lease was lost, frees the lease for others. */
  async release(lost: boolean): Promise<void> {
    this.fence.close();
    if (!lost)
      await this.#free(AbortSignal.timeout(RELEASE_MILLISECONDS)).catch((error: unknown) => this.report(error));
  }

  /** Waits for the next attempt, with jitter, `lessSeconds` less than usual, and no longer than `mostSeconds`. */
  async pause(signal: AbortSignal, { mostSeconds = Infinity, lessSeconds = 0 }: PauseLimits = {}): Promise<void> {
    const { random = Math.random } = this.#options;
    const seconds = Math.max(0, this.timings.retrySeconds * (1 + random() / 5) - lessSeconds);
    await sleep(Math.min(seconds, mostSeconds), { clock: this.clock, signal });
  }

  report(error: unknown): void {
    this.#log.warn({ lease: this.#options.name, err: error }, 'the lease could not be read or renewed');
  }

  #remember(lease: SeenLease['lease']): SeenLease {
    this.#seen = observe(this.#seen, lease, this.clock.now());
    return this.#seen;
  }

  async #attempt(signal: AbortSignal, again = true): Promise<boolean> {
    const { client, namespace, name, identity } = this.#options;
    const sure = this.isHolder && !this.#isUnsure ? this.#seen : undefined;
    const known = sure ?? this.#remember(await client.get(this.#ref, signal));
    const decision = decideLease(known, identity, this.clock.now());
    if (decision === 'wait') return false;
    const began = momentOf(this.clock);
    const wanted = holdLease(known.lease, { ...this.timings, namespace, name, identity, wall: began.wall });
    this.#isUnsure = true;
    try {
      const written = decision === 'create' ? client.create(wanted, {}, signal) : client.update(wanted, {}, signal);
      this.#remember(await written);
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error)) throw error;
      this.#remember(await client.get(this.#ref, signal));
      this.#isUnsure = false;
      // A renewal may have taken effect without an answer: the next write decides.
      return again && this.isHolder && this.#attempt(signal, false);
    }
    this.#isUnsure = false;
    this.#renewedAt = began.steady;
    this.#answeredAfter = this.clock.now() - began.steady;
    this.fence.extend(began, this.timings.renewSeconds);
    return true;
  }

  /** Frees the lease that this replica holds, also by a write that was cut off by the shutdown and got no answer. */
  async #free(signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    for (;;) {
      if (this.#isUnsure) this.#remember(await client.get(this.#ref, signal));
      if (this.#seen?.lease === undefined || !this.isHolder) return;
      this.#isUnsure = true;
      try {
        this.#remember(await client.update(releaseLease(this.#seen.lease, this.clock.wall()), {}, signal));
        return;
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  }

  #noteAnswer(seconds: number): void {
    if (this.#silence !== undefined && seconds < this.#silence / 2) this.#options.onSilence?.(this.#silence);
    this.#silence = undefined;
  }
}
