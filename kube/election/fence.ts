/**
 * Keeps a replica that no longer leads from writing. The fence asks two clocks on each write: one that never jumps,
 * and the wall clock, because the first stands still while a machine is suspended.
 */
import { ReasonedError } from '../../api/errors.ts';
import type { Clock } from '../clock.ts';
import type { ApiRequest, Transport } from '../transport/transport.ts';

export interface Fence {
  /** Whether writing is allowed at this moment. */
  isHeld(): boolean;
  /** Throws ReasonedError(LeaderLost, backoff) where it is not. */
  assertHeld(): void;
}

export interface LeaseFence extends Fence {
  /** The lease was renewed by a request that began at `began`: writing is allowed for `seconds` from then. */
  extend(began: Moment, seconds: number): void;
  /** Nothing may be written from now on. */
  close(): void;
}

/** One moment on both clocks. */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

/** What both clocks say now. */
export function momentOf(clock: Clock): Moment {
  return { steady: clock.now(), wall: clock.wall() };
}

/** A fence that is closed until it is extended. */
export function createLeaseFence(clock: Clock): LeaseFence {
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

/** Why a replica may not write any more. */
export function leaderLost(): ReasonedError {
  return new ReasonedError({
    reason: 'LeaderLost',
    retry: 'backoff',
    message: 'this replica does not lead any more',
    hint: 'Another replica takes over; nothing has to be done',
  });
}

/**
 * A transport that refuses every write while the fence is closed. It is asked when a connection is there and
 * nothing has been sent yet, on every attempt, so that a process that was stopped in between does not write.
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
