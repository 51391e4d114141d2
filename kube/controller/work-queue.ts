/**
 * A queue of keys: each is in it at most once, and one worker at a time processes it; a key that is added while it is
 * processed comes again afterwards. Namespaces are served in turn. Modelled on client-go's workqueue.
 */
import { systemClock, type Cancel, type Clock } from '../clock.ts';
import { createFairList } from '../client/fair-list.ts';
import { defaultRateLimiter, type RateLimiter } from '../rate-limiters.ts';

export interface WorkQueue<Key extends string = string> {
  /** Queues `key`; adding it several times before a worker takes it queues it once. */
  add(key: Key): void;
  /** Adds after `seconds`; the shortest of several delays wins. Invalid and negative numbers mean now. */
  addAfter(key: Key, seconds: number): void;
  /** Adds after the rate limiter's delay, counting one more failure of the key. */
  addRateLimited(key: Key): void;
  /** `key` has succeeded: its failures no longer count. */
  forget(key: Key): void;
  /** Failures of `key` since it last succeeded. */
  retries(key: Key): number;
  /** The next key, as soon as there is one; undefined once shut down. Its taker calls `done`. */
  get(): Promise<Key | undefined>;
  /** The worker has finished `key`. */
  done(key: Key): void;
  /** Accepts and hands out no more keys; waiting callers get undefined. */
  shutDown(): void;
  /** Keys that a worker could take now. */
  readonly length: number;
  /** Each key in progress, and for how long. */
  unfinished(): readonly Unfinished<Key>[];
}

export interface Unfinished<Key extends string = string> {
  readonly key: Key;
  readonly seconds: number;
}

/** Receives the queue's activity; see metrics.ts. */
export interface QueueObserver {
  added(): void;
  /** A worker took a key that had waited for `seconds`. */
  taken(seconds: number): void;
  /** A worker is done with a key after `seconds`. */
  finished(seconds: number): void;
  retried(): void;
}

export interface WorkQueueOptions {
  readonly clock?: Clock;
  readonly rateLimiter?: RateLimiter;
  readonly observer?: QueueObserver;
}

/** An empty queue. */
export function createWorkQueue<Key extends string = string>(options: WorkQueueOptions = {}): WorkQueue<Key> {
  return new FairWorkQueue<Key>(options);
}

interface Delayed {
  readonly dueAt: number;
  readonly cancel: Cancel;
}

class FairWorkQueue<Key extends string> implements WorkQueue<Key> {
  readonly #clock: Clock;
  readonly #observer: QueueObserver | undefined;
  readonly #rateLimiter: RateLimiter;
  /** Keys that a worker could take now. */
  readonly #ready = createFairList<Key>();
  /** When each key was added that no worker has taken yet. */
  readonly #waitingSince = new Map<Key, number>();
  /** Keys in progress, with their start times. */
  readonly #processing = new Map<Key, number>();
  /** Keys in progress that will be queued again. */
  readonly #again = new Set<Key>();
  readonly #delayed = new Map<Key, Delayed>();
  /** Workers that wait for a key. */
  readonly #takers: ((key: Key | undefined) => void)[] = [];
  #closed = false;

  constructor({ clock = systemClock, observer, rateLimiter = defaultRateLimiter(clock) }: WorkQueueOptions) {
    this.#clock = clock;
    this.#observer = observer;
    this.#rateLimiter = rateLimiter;
  }

  get length(): number {
    return this.#ready.length;
  }

  add(key: Key): void {
    if (this.#closed || this.#ready.has(key) || this.#again.has(key)) return;
    this.#observer?.added();
    this.#waitingSince.set(key, this.#clock.now());
    if (this.#processing.has(key)) this.#again.add(key);
    else this.#makeReady(key);
  }

  addAfter(key: Key, seconds: number): void {
    if (this.#closed) return;
    if (!(seconds > 0)) return this.add(key);
    const dueAt = this.#clock.now() + seconds;
    const known = this.#delayed.get(key);
    if (known !== undefined && known.dueAt <= dueAt) return;
    known?.cancel();
    const cancel = this.#clock.after(seconds, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { dueAt, cancel });
  }

  addRateLimited(key: Key): void {
    this.#observer?.retried();
    this.addAfter(key, this.#rateLimiter.delay(key));
  }

  forget(key: Key): void {
    this.#rateLimiter.forget(key);
  }

  retries(key: Key): number {
    return this.#rateLimiter.retries(key);
  }

  get(): Promise<Key | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    if (this.#ready.length > 0) return Promise.resolve(this.#take());
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(key: Key): void {
    const startedAt = this.#processing.get(key);
    if (startedAt === undefined) throw new Error(`${key} is not being worked on`);
    this.#processing.delete(key);
    this.#observer?.finished(this.#clock.now() - startedAt);
    if (this.#again.delete(key) && !this.#closed) this.#makeReady(key);
  }

  shutDown(): void {
    this.#closed = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  unfinished(): readonly Unfinished<Key>[] {
    return [...this.#processing].map(([key, startedAt]) => ({ key, seconds: this.#clock.now() - startedAt }));
  }

  #makeReady(key: Key): void {
    this.#ready.push(key);
    const taker = this.#takers.shift();
    if (taker !== undefined) taker(this.#take());
  }

  #take(): Key | undefined {
    const key = this.#ready.shift();
    if (key === undefined) return undefined;
    const now = this.#clock.now();
    this.#processing.set(key, now);
    this.#observer?.taken(now - (this.#waitingSince.get(key) ?? now));
    this.#waitingSince.delete(key);
    return key;
  }
}
