/**
 * One view of one person, computed once for all browsers that show it. A change of the cluster computes it again soon
 * afterwards; many changes at once, once.
 */
import type { Cancel, Clock } from '../../../kube/clock.ts';
import { encodeAnswer, type ViewAnswer } from './encode.ts';
import { problemOf, statusOfError } from '../problem.ts';
import type { EventStream, LiveEvent } from './event-stream.ts';

export interface TopicOptions {
  /** Never rejects. */
  readonly compute: (signal: AbortSignal) => Promise<ViewAnswer>;
  readonly clock: Clock;
  /** Changes within this time are one. */
  readonly coalesceSeconds: number;
  /** From the end of a computation to the next one, however much changes: a view may read a lot on demand. */
  readonly restSeconds: number;
  /** Computed again after this time without a change: rights, and answers that no watch brings, change too. */
  readonly refreshSeconds: number;
  /** Called with the seconds that a computation took. */
  readonly onComputed?: (seconds: number) => void;
}

/** The answer as an event; a model that cannot be written is a defect of its view, and of nothing else. */
function encoded(answer: ViewAnswer): LiveEvent {
  try {
    return encodeAnswer(answer);
  } catch (error) {
    return encodeAnswer({ problem: problemOf(error), status: statusOfError(error) });
  }
}

/** A view that takes long rests longer, so that it leaves the process most of its time. */
const LONG_SECONDS = 0.1;
const REST_SHARE = 4;
const MOST_REST_SECONDS = 10;

function restAfter(took: number): number {
  return took > LONG_SECONDS ? Math.min(REST_SHARE * took, MOST_REST_SECONDS) : 0;
}

export class Topic {
  readonly streams = new Set<EventStream>();
  readonly #options: TopicOptions;
  readonly #over = new AbortController();
  #latest: LiveEvent | undefined;
  #timer: Cancel | undefined;
  #isRunning = false;
  #isStale = false;
  #restUntil = 0;

  constructor(options: TopicOptions) {
    this.#options = options;
  }

  /** Adds a browser; it gets the present state at once, or the first one when it is computed. */
  add(stream: EventStream): void {
    this.streams.add(stream);
    if (this.#latest !== undefined) stream.offer(this.#latest);
    else if (!this.#isRunning) void this.#run();
  }

  /** The cluster has changed. */
  changed(): void {
    if (this.#isRunning) this.#isStale = true;
    else this.#scheduleSoon();
  }

  close(): void {
    this.#over.abort(new Error('no browser shows the view any more'));
    this.#timer?.();
  }

  /** Due soonest: a refresh that waits is brought forward, and a change that waits is not put off. */
  #isSoon = false;

  #scheduleSoon(): void {
    const { coalesceSeconds, clock } = this.#options;
    this.#schedule(Math.max(coalesceSeconds, this.#restUntil - clock.now()), true);
  }

  #schedule(seconds: number, isSoon: boolean): void {
    if (this.#isSoon && this.#timer !== undefined) return;
    this.#timer?.();
    this.#isSoon = isSoon;
    this.#timer = this.#options.clock.after(seconds, () => {
      this.#timer = undefined;
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    const { compute, clock, onComputed, restSeconds, refreshSeconds } = this.#options;
    this.#isRunning = true;
    this.#isStale = false;
    this.#isSoon = false;
    const startedAt = clock.now();
    const answer = await compute(this.#over.signal);
    this.#isRunning = false;
    if (this.#over.signal.aborted) return;
    const took = clock.now() - startedAt;
    this.#restUntil = clock.now() + Math.max(restSeconds, restAfter(took));
    onComputed?.(took);
    const next = encoded(answer);
    if (next.id !== this.#latest?.id) {
      this.#latest = next;
      for (const stream of this.streams) stream.offer(next);
    }
    if (this.#isStale) this.#scheduleSoon();
    else this.#schedule(refreshSeconds, false);
  }
}
