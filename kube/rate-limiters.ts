/** Delays before a key is retried. Pure except for their counters; the queue calls them. */
import type { Clock } from './clock.ts';

export interface RateLimiter {
  /** Seconds until `key` may be tried again; counts one more failure of it. */
  delay(key: string): number;
  /** Forgets the failures of `key`: it has succeeded. */
  forget(key: string): void;
  /** Failures of `key` since it was forgotten. */
  retries(key: string): number;
}

/** Delays that double with each failure of the same key: 5 ms, 10 ms, … up to 1000 s by default. */
export function exponentialPerItem(
  options: { readonly baseSeconds?: number; readonly maxSeconds?: number } = {},
): RateLimiter {
  const { baseSeconds = 0.005, maxSeconds = 1000 } = options;
  const failures = new Map<string, number>();
  return {
    delay(key) {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      return Math.min(baseSeconds * 2 ** Math.min(count, 1000), maxSeconds);
    },
    forget(key) {
      failures.delete(key);
    },
    retries: (key) => failures.get(key) ?? 0,
  };
}

/** One bucket for all keys: `burst` tries at once, then `perSecond`; each further one gets a delay. */
export function tokenBucket(options: {
  readonly perSecond: number;
  readonly burst: number;
  readonly clock: Clock;
}): RateLimiter {
  const bucket = createBucket(options);
  return { delay: () => bucket.reserve(), forget() {}, retries: () => 0 };
}

/** Calls every limiter and uses the longest delay. */
export function longestOf(...limiters: readonly RateLimiter[]): RateLimiter {
  return {
    delay: (key) => Math.max(0, ...limiters.map((limiter) => limiter.delay(key))),
    forget(key) {
      for (const limiter of limiters) limiter.forget(key);
    },
    retries: (key) => Math.max(0, ...limiters.map((limiter) => limiter.retries(key))),
  };
}

/** The limiter of controllers: per key 5 ms to 1000 s, and 10 a second (100 at once) over all keys. */
export function defaultRateLimiter(clock: Clock): RateLimiter {
  return longestOf(exponentialPerItem(), tokenBucket({ perSecond: 10, burst: 100, clock }));
}

export interface Bucket {
  /** Takes a token, a future one if necessary; returns the seconds until it may be used. */
  reserve(): number;
  /** Takes a token if there is one now. */
  take(): boolean;
  /** Fills the bucket. */
  reset(): void;
}

/** A token bucket: holds up to `burst`, gains `perSecond`. */
export function createBucket({
  perSecond,
  burst,
  clock,
}: {
  readonly perSecond: number;
  readonly burst: number;
  readonly clock: Clock;
}): Bucket {
  let tokens = burst;
  let filledAt = clock.now();
  const fill = (): void => {
    const now = clock.now();
    tokens = Math.min(burst, tokens + Math.max(0, now - filledAt) * perSecond);
    filledAt = now;
  };
  return {
    reserve() {
      fill();
      tokens -= 1;
      return tokens >= 0 ? 0 : -tokens / perSecond;
    },
    take() {
      fill();
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    reset() {
      tokens = burst;
    },
  };
}
