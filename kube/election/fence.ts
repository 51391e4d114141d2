/**
 * Keeps a replica that no longer leads from writing. The fence checks two clocks on each write: a monotonic one, and
 * the wall clock, because the first stands still while a machine is suspended.
 */
import { ReasonedError } from '../../api/errors.ts';
import { systemClock, type Clock } from '../clock.ts';
import type { ApiRequest } from '../transport/api-request.ts';
import type { Transport } from '../transport/transport.ts';

export interface Fence {
  /** Whether this replica may write at this moment. */
  isHeld(): boolean;
  /** Throws ReasonedError(LeaderLost, backoff) if it may not. */
  assertHeld(): void;
}

export interface LeaseFence extends Fence {
  /** Opens the fence for `seconds` from `began`, the start of the request that renewed the lease. */
  extend(began: Moment, seconds: number): void;
  /** Forbids all writes from now on. */
  close(): void;
}

/** One moment on both clocks. */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

/** The current time on both clocks. */
export function momentOf(clock: Clock): Moment {
  return { steady: clock.now(), wall: clock.wall() };
}

/** A fence that is closed until it is extended. */
export function createLeaseFence(clock: Clock = systemClock): LeaseFence {
  let until: Moment | undefined;
  const isHeld = (): boolean => until !== undefined && clock.now() < until.steady && clock.wall() < until.wall;
  return {
    isHeld,
    assertHeld() {
      if (!isHeld()) throw leaderLost();
    },
    extend({ steady, wall }, seconds) {
      until = { steady: steady + seconds, wall: wall + seconds * 1000 };
    },
    close() {
      until = undefined;
    },
  };
}

/** The error of a replica that may no longer write. */
export function leaderLost(): ReasonedError {
  return new ReasonedError({
    reason: 'LeaderLost',
    retry: 'backoff',
    message: 'this replica does not lead any more',
    hint: 'Another replica takes over; nothing has to be done',
  });
}

/**
 * A transport that refuses every write while the fence is closed. The check runs on every attempt, after connecting and
 * before sending, so that a process that was stopped in between does not write.
 */
export function fencedTransport(transport: Transport, fence: Fence): Transport {
  return {
    request: (request) => transport.request(guarded(request, fence)),
    stream: (request) => transport.stream(request),
    close: () => transport.close(),
  };
}

function guarded(request: ApiRequest, fence: Fence): ApiRequest {
  if (request.method === 'GET') return request;
  return {
    ...request,
    guard() {
      request.guard?.();
      fence.assertHeld();
    },
  };
}
