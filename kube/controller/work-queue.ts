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
  /** Shuts down and resolves when all work in progress is done. */
  drain(): Promise<void>;
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
  const { clock = systemClock, observer } = options;
  const rateLimiter = options.rateLimiter ?? defaultRateLimiter(clock);
  const ready = createFairList<Key>();
  const waitingSince = new Map<Key, number>();
  /** Keys in progress, with their start times. */
  const processing = new Map<Key, number>();
  /** Keys in progress that will be queued again. */
  const again = new Set<Key>();
  const delayed = new Map<Key, { readonly dueAt: number; readonly cancel: Cancel }>();
  const takers: ((key: Key | undefined) => void)[] = [];
  const idle: (() => void)[] = [];
  let closed = false;

  function add(key: Key): void {
    if (closed || ready.has(key) || again.has(key)) return;
    observer?.added();
    waitingSince.set(key, clock.now());
    if (processing.has(key)) again.add(key);
    else makeReady(key);
  }

  function makeReady(key: Key): void {
    ready.push(key);
    const taker = takers.shift();
    if (taker !== undefined) taker(take());
  }

  function take(): Key | undefined {
    const key = ready.shift();
    if (key === undefined) return undefined;
    const now = clock.now();
    processing.set(key, now);
    observer?.taken(now - (waitingSince.get(key) ?? now));
    waitingSince.delete(key);
    return key;
  }

  function addAfter(key: Key, seconds: number): void {
    if (closed) return;
    if (!(seconds > 0)) return add(key);
    const dueAt = clock.now() + seconds;
    const known = delayed.get(key);
    if (known !== undefined && known.dueAt <= dueAt) return;
    known?.cancel();
    const cancel = clock.after(seconds, () => {
      delayed.delete(key);
      add(key);
    });
    delayed.set(key, { dueAt, cancel });
  }

  function done(key: Key): void {
    const startedAt = processing.get(key);
    if (startedAt === undefined) throw new Error(`${key} is not being worked on`);
    processing.delete(key);
    observer?.finished(clock.now() - startedAt);
    if (again.delete(key) && !closed) makeReady(key);
    if (processing.size === 0) for (const resolve of idle.splice(0)) resolve();
  }

  function shutDown(): void {
    closed = true;
    for (const { cancel } of delayed.values()) cancel();
    delayed.clear();
    for (const taker of takers.splice(0)) taker(undefined);
  }

  return {
    add,
    addAfter,
    addRateLimited(key) {
      observer?.retried();
      addAfter(key, rateLimiter.delay(key));
    },
    forget: (key) => rateLimiter.forget(key),
    retries: (key) => rateLimiter.retries(key),
    get() {
      if (closed) return Promise.resolve(undefined);
      if (ready.length > 0) return Promise.resolve(take());
      return new Promise((resolve) => takers.push(resolve));
    },
    done,
    shutDown,
    drain() {
      shutDown();
      return processing.size === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve));
    },
    get length() {
      return ready.length;
    },
    unfinished: () => [...processing].map(([key, startedAt]) => ({ key, seconds: clock.now() - startedAt })),
  };
}
