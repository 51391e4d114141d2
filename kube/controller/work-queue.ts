/**
 * A queue of keys: each is in it at most once, and one worker at a time processes it; a key that is added while it is
 * processed comes again afterwards. Namespaces are served in turn, and share the workers (fair-share.ts). Modelled on
 * client-go's workqueue.
 */
import { systemClock, type Cancel, type Clock } from '../clock.ts';
import { createFairList, namespaceOf } from '../client/fair-list.ts';
import { defaultRateLimiter, type RateLimiter } from '../rate-limiters.ts';
import { pickNamespace } from './fair-share.ts';

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
  /** The next key, as soon as a worker may take one; undefined once shut down. Its taker calls `done`. */
  get(): Promise<Key | undefined>;
  /** The worker has finished `key`. */
  done(key: Key): void;
  /** Accepts and hands out no more keys; waiting callers get undefined. */
  shutDown(): void;
  /** Keys that wait for a worker. */
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
  /** How many workers take keys, so that namespaces share them; if absent, each key is handed out at once. */
  readonly workers?: number;
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
  readonly #workers: number | undefined;
  readonly #clock: Clock;
  readonly #observer: QueueObserver | undefined;
  readonly #rateLimiter: RateLimiter;
  /** Keys that wait for a worker. */
  readonly #ready = createFairList<Key>();
  /** When each key was added that no worker has taken yet. */
  readonly #waitingSince = new Map<Key, number>();
  /** Keys in progress, with their start times. */
  readonly #processing = new Map<Key, number>();
  /** How many keys of each namespace are in progress. */
  readonly #held = new Map<string, number>();
  /** Keys in progress that will be queued again. */
  readonly #again = new Set<Key>();
  readonly #delayed = new Map<Key, Delayed>();
  /** Workers that wait for a key. */
  readonly #takers: ((key: Key | undefined) => void)[] = [];
  #closed = false;

  constructor({ workers, clock = systemClock, observer, rateLimiter = defaultRateLimiter(clock) }: WorkQueueOptions) {
    this.#workers = workers;
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
    else this.#ready.push(key);
    this.#serve();
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
    const key = this.#take();
    if (key !== undefined) return Promise.resolve(key);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(key: Key): void {
    const startedAt = this.#processing.get(key);
    if (startedAt === undefined) throw new Error(`${key} is not being worked on`);
    this.#processing.delete(key);
    this.#hold(key, -1);
    this.#observer?.finished(this.#clock.now() - startedAt);
    if (this.#again.delete(key) && !this.#closed) this.#ready.push(key);
    this.#serve();
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

  /** Hands keys to the workers that wait, as far as their namespaces may have them. */
  #serve(): void {
    while (this.#takers.length > 0) {
      const key = this.#take();
      if (key === undefined) return;
      this.#takers.shift()?.(key);
    }
  }

  #take(): Key | undefined {
    const namespace = this.#pick();
    const key = namespace === undefined ? undefined : this.#ready.take(namespace);
    if (key === undefined) return undefined;
    const now = this.#clock.now();
    this.#processing.set(key, now);
    this.#hold(key, 1);
    this.#observer?.taken(now - (this.#waitingSince.get(key) ?? now));
    this.#waitingSince.delete(key);
    return key;
  }

  #pick(): string | undefined {
    const waiting = this.#ready.namespaces();
    const workers = this.#workers;
    if (workers === undefined) return Iterator.from(waiting).next().value;
    const free = workers - this.#processing.size;
    return pickNamespace(waiting, { workers, free, heldBy: (namespace) => this.#held.get(namespace) ?? 0 });
  }

  /** Counts a key that is taken or done. One without a namespace is an owner of its own, and holds one worker at most. */
  #hold(key: Key, change: 1 | -1): void {
    const namespace = namespaceOf(key);
    if (namespace === '') return;
    const held = (this.#held.get(namespace) ?? 0) + change;
    if (held === 0) this.#held.delete(namespace);
    else this.#held.set(namespace, held);
  }
}
