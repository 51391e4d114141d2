/** Sends events one at a time, in order, at a limited rate, from a bounded queue; drops and counts the others. */
import { ReasonedError } from '../../api/errors.ts';
import { sleep, type Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { createBucket, type Bucket } from '../rate-limiters.ts';

/** The request that writes one event. */
export type Work = (signal: AbortSignal) => Promise<void>;

const MOST_WAITING = 1000;
const OVERALL = { burst: 50, perSecond: 10 };
const MOST_ATTEMPTS = 3;
const RETRY_SECONDS = 2;

export interface SenderOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Stops sending. */
  readonly signal: AbortSignal;
}

export class EventSender {
  readonly #options: SenderOptions;
  readonly #bucket: Bucket;
  readonly #waiting: Work[] = [];
  /** The run through the queue; absent while the queue is empty. */
  #running: Promise<void> | undefined;
  #dropped = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#bucket = createBucket({ ...OVERALL, clock: options.clock });
  }

  /** Events that found the queue full, or that the API server did not accept. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Queues an event. Returns at once. */
  send(work: Work): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(work);
    this.#running ??= this.#run();
  }

  /** Resolves when the queue is empty, or when `signal` aborts. */
  async idle(signal?: AbortSignal): Promise<void> {
    const aborted =
      signal && new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([this.#running, ...(aborted === undefined ? [] : [aborted])]);
  }

  async #run(): Promise<void> {
    const { signal, log } = this.#options;
    for (let work = this.#waiting.shift(); work !== undefined && !signal.aborted; work = this.#waiting.shift()) {
      try {
        await sleep(this.#bucket.reserve(), this.#options);
        await trySending(work, this.#options);
      } catch (error) {
        this.#dropped += 1;
        log.debug({ err: error }, 'an event was not sent');
      }
    }
    this.#running = undefined;
  }
}

/** Retries a few times if the server is unavailable. */
async function trySending(work: Work, { clock, signal }: SenderOptions): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(signal);
    } catch (error) {
      const mayHelp = error instanceof ReasonedError && error.reason === 'ApiUnavailable';
      if (!mayHelp || attempt >= MOST_ATTEMPTS) throw error;
      await sleep(RETRY_SECONDS * attempt, { clock, signal });
    }
  }
}
