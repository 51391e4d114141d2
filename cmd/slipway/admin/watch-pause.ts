/** How long a command that follows the cluster pauses before it asks again: ever longer while that fails, so that no server is flooded. */
import { ApiError } from '../../../api/api-error.ts';
import { answerOf } from '../../../api/api-answers.ts';
import { sleep, systemClock, type Clock } from '../../../kube/clock.ts';
import { exponentialPerItem } from '../../../kube/rate-limiters.ts';

/** Whether the API server did not answer, or not for now. */
export function isUnavailable(error: unknown): error is ApiError {
  return error instanceof ApiError && error.reason === 'ApiUnavailable';
}

/** Mutable: the length of the next pause. */
export class WatchPause {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #delays = exponentialPerItem({ baseSeconds: FIRST_SECONDS, maxSeconds: LONGEST_SECONDS });

  constructor(signal: AbortSignal, clock = systemClock) {
    this.#signal = signal;
    this.#clock = clock;
  }

  /** The server has answered, so that it is at work. */
  reset(): void {
    this.#delays.forget(WATCH);
  }

  /** Waits at least as long as the server asks. @throws the reason of the signal */
  async wait(error?: unknown): Promise<void> {
    const asked = answerOf(error)?.retryAfterSeconds ?? 0;
    const seconds = Math.max(this.#delays.delay(WATCH), Math.min(asked, LONGEST_ASKED_SECONDS));
    await sleep(seconds, { clock: this.#clock, signal: this.#signal });
  }
}

/** The only key. */
const WATCH = 'watch';
const FIRST_SECONDS = 0.5;
const LONGEST_SECONDS = 10;
/** A server that asks for more is asked again nevertheless: a person waits. */
const LONGEST_ASKED_SECONDS = 60;
