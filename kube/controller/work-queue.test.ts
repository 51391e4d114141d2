import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { createBucket, exponentialPerItem, longestOf, tokenBucket } from '../rate-limiters.ts';
import { createWorkQueue, type WorkQueue } from './work-queue.ts';

function queueWithClock(): { queue: WorkQueue; clock: ManualClock } {
  const clock = createManualClock();
  return { clock, queue: createWorkQueue({ clock, rateLimiter: exponentialPerItem() }) };
}

/** Takes all ready keys, and marks them as done. */
async function drainReady(queue: WorkQueue): Promise<string[]> {
  const taken: string[] = [];
  while (queue.length > 0) {
    const key = (await queue.get()) as string;
    taken.push(key);
    queue.done(key);
  }
  return taken;
}

const keys = fc.constantFrom('a/1', 'a/2', 'b/1', 'c');

describe('work queue', () => {
  test('a key that is added many times before it is taken is processed once', async () => {
    const { queue } = queueWithClock();
    for (let i = 0; i < 10; i++) queue.add('a/x');
    expect(await drainReady(queue)).toEqual(['a/x']);
  });

  test('a key that is added while it is processed comes again, once, and only afterwards', async () => {
    const { queue } = queueWithClock();
    queue.add('a/x');
    const key = (await queue.get()) as string;
    queue.add('a/x');
    queue.add('a/x');
    expect(queue.length).toBe(0);
    queue.done(key);
    expect(await drainReady(queue)).toEqual(['a/x']);
  });

  test('a key that comes again is taken by a worker that waits, whether or not its last worker returns', async () => {
    const { queue } = queueWithClock();
    queue.add('a/x');
    const key = (await queue.get()) as string;
    const waiting = queue.get();
    queue.add('a/x');
    queue.done(key);
    queue.shutDown();
    expect(await waiting).toBe('a/x');
  });

  test('a namespace with many keys does not delay another', async () => {
    const { queue } = queueWithClock();
    for (let i = 0; i < 1000; i++) queue.add(`busy/${i}`);
    queue.add('quiet/x');
    await queue.get();
    expect(await queue.get()).toBe('quiet/x');
  });

  test('of several delays for a key the shortest counts, and it comes once', async () => {
    const { queue, clock } = queueWithClock();
    queue.addAfter('x', 10);
    queue.addAfter('x', 3);
    queue.addAfter('x', 7);
    clock.advance(2.9);
    expect(queue.length).toBe(0);
    clock.advance(0.1);
    expect(await drainReady(queue)).toEqual(['x']);
    clock.advance(100);
    expect(queue.length).toBe(0);
  });

  test.each([
    { seconds: Number.NaN, because: 'an invalid delay must not lose the key' },
    { seconds: -5, because: 'the time is over already' },
    { seconds: 0, because: 'there is no delay' },
  ])('a delay of $seconds means now: $because', async ({ seconds }) => {
    const { queue } = queueWithClock();
    queue.addAfter('x', seconds);
    expect(await drainReady(queue)).toEqual(['x']);
  });

  test('shutting down wakes waiting workers, hands out no more keys, and cancels delays', async () => {
    const { queue, clock } = queueWithClock();
    const waiting = queue.get();
    queue.addAfter('later', 1);
    queue.shutDown();
    queue.add('x');
    expect(await waiting).toBeUndefined();
    expect(await queue.get()).toBeUndefined();
    expect(clock.timers).toBe(0);
  });

  test('delays end in the order of their times, regardless of the order of the calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: 10_000 }), { maxLength: 30 }), async (delays) => {
        const { queue, clock } = queueWithClock();
        for (const delay of delays) queue.addAfter(`k${delay}`, delay / 8);
        const seen: string[] = [];
        for (const delay of delays.toSorted((a, b) => a - b)) {
          clock.advance(delay / 8 - clock.now());
          seen.push(...(await drainReady(queue)));
        }
        expect(seen).toEqual(delays.toSorted((a, b) => a - b).map((delay) => `k${delay}`));
      }),
    );
  });

  test('between two turns of one namespace every other one that waits has had its turn', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(4), fc.nat(20)), { maxLength: 60 }), async (pairs) => {
        const { queue } = queueWithClock();
        const waiting = new Map<string, Set<string>>();
        for (const [namespace, name] of pairs) {
          queue.add(`n${namespace}/${name}`);
          waiting.set(`n${namespace}`, (waiting.get(`n${namespace}`) ?? new Set()).add(String(name)));
        }
        const served: string[] = [];
        for (const key of await drainReady(queue)) served.push(key.split('/')[0] as string);
        const rounds: string[][] = [];
        const left = new Map([...waiting].map(([namespace, names]) => [namespace, names.size]));
        for (let at = 0; at < served.length;) {
          const open = [...left].filter(([, count]) => count > 0).map(([namespace]) => namespace);
          rounds.push(served.slice(at, at + open.length));
          expect(new Set(rounds.at(-1))).toEqual(new Set(open));
          for (const namespace of open) left.set(namespace, (left.get(namespace) ?? 0) - 1);
          at += open.length;
        }
      }),
    );
  });

  test('no key is lost and none is worked on twice at once, in whatever order workers and writers run', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(keys, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 4 }),
        async (scheduler, additions, workers) => {
          const queue = createWorkQueue({ clock: createManualClock() });
          /** The version written last, and the version that a worker saw when it last began. */
          const written = new Map<string, number>();
          const seen = new Map<string, number>();
          const running = new Set<string>();
          const work = async (): Promise<void> => {
            for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
              expect(running.has(key)).toBe(false);
              running.add(key);
              seen.set(key, written.get(key) ?? 0);
              await scheduler.schedule(Promise.resolve(), `work on ${key}`);
              running.delete(key);
              queue.done(key);
            }
          };
          const working = Promise.all(Array.from({ length: workers }, work));
          const writing = scheduler.scheduleSequence(
            additions.map((key) => async () => {
              written.set(key, (written.get(key) ?? 0) + 1);
              queue.add(key);
            }),
          );
          await scheduler.waitFor(writing.task);
          await scheduler.waitIdle();
          queue.shutDown();
          await working;
          expect(seen).toEqual(written);
        },
      ),
      { numRuns: runsOf(300) },
    );
  });
});

/** A queue with workers that end no key by themselves. */
function queueWithWorkers(workers: number) {
  const queue = createWorkQueue({ workers, clock: createManualClock() });
  const begun: string[] = [];
  const work = (): void => void queue.get().then((key) => key !== undefined && begun.push(key));
  for (let i = 0; i < workers; i += 1) work();
  return {
    queue,
    /** The keys that workers have begun since the last call. */
    begun: async (): Promise<readonly string[]> => {
      await new Promise((resolve) => setImmediate(resolve));
      return begun.splice(0);
    },
    end: (key: string): void => {
      queue.done(key);
      work();
    },
  };
}

describe('workers that a queue hands keys to', () => {
  const pulls = Array.from({ length: 200 }, (_, at) => `busy/${at}`);

  test('are not all taken by a namespace whose keys never end', async () => {
    const { queue, begun } = queueWithWorkers(16);
    for (const key of pulls) queue.add(key);
    expect(await begun()).toEqual(pulls.slice(0, 8));
    for (const key of ['quiet/a', 'quiet/b', 'other/a', 'late/a', 'later/a']) queue.add(key);
    expect(await begun()).toEqual(['quiet/a', 'quiet/b', 'other/a', 'late/a', 'later/a']);
    expect(queue.length).toBe(192);
  });

  test('take the next key of a lone namespace as soon as one of its keys ends, in order', async () => {
    const { queue, begun, end } = queueWithWorkers(16);
    for (const key of pulls) queue.add(key);
    const served: string[] = [];
    for (let keys = await begun(); keys.length > 0; keys = await begun()) {
      served.push(...keys);
      keys.forEach(end);
    }
    expect(served).toEqual(pulls);
  });

  test('serve a namespace with less than its share first, and the busy one when its turn comes', async () => {
    const { queue, begun, end } = queueWithWorkers(4);
    for (const key of ['busy/0', 'busy/1', 'busy/2', 'busy/3', 'quiet/a', 'quiet/b', 'other/a']) queue.add(key);
    expect(await begun()).toEqual(['busy/0', 'busy/1', 'quiet/a', 'other/a']);
    end('busy/0');
    expect(await begun(), 'the worker is kept for a namespace that holds none').toEqual([]);
    end('quiet/a');
    expect(await begun()).toEqual(['quiet/b']);
    end('other/a');
    end('busy/1');
    expect(await begun()).toEqual(['busy/2']);
  });

  test('take each key without a namespace, as each is an owner of its own', async () => {
    const { queue, begun } = queueWithWorkers(16);
    const catalogs = Array.from({ length: 20 }, (_, at) => `catalog-${at}`);
    for (const key of catalogs) queue.add(key);
    expect(await begun()).toEqual(catalogs.slice(0, 16));
  });

  test('lose no key of any namespace, and end with every key served', async () => {
    const owners = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '');
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.uniqueArray(
          fc.tuple(owners, fc.nat(9)).map(([namespace, at]) => (namespace === '' ? `${at}` : `${namespace}/${at}`)),
          { maxLength: 40 },
        ),
        async (workers, added) => {
          const { queue, begun, end } = queueWithWorkers(workers);
          for (const key of added) queue.add(key);
          const served: string[] = [];
          const running: string[] = [];
          for (;;) {
            const keys = await begun();
            served.push(...keys);
            running.push(...keys);
            const next = running.shift();
            if (next === undefined) break;
            end(next);
          }
          expect(served.toSorted()).toEqual(added.toSorted());
        },
      ),
      { numRuns: runsOf(100) },
    );
  });
});

/** What is done to a queue; seconds are eighths, so that sums are exact. */
type Step =
  | { readonly do: 'add' | 'addRateLimited'; readonly key: string }
  | { readonly do: 'addAfter'; readonly key: string; readonly eighths: number }
  | { readonly do: 'advance'; readonly eighths: number }
  | { readonly do: 'take' | 'done' };

const LIMIT_SECONDS = 1;

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('add' as const, 'addRateLimited' as const), key: keys }),
  fc.record({ do: fc.constant('addAfter' as const), key: keys, eighths: fc.integer({ min: -1, max: 24 }) }),
  fc.record({ do: fc.constant('advance' as const), eighths: fc.integer({ min: 0, max: 12 }) }),
  fc.record({ do: fc.constantFrom('take' as const, 'done' as const) }),
);

interface Model {
  want(key: string, seconds: number): void;
  take(key: string): string;
  done(key: string): string;
  /** Keys that are due and that no worker has taken. */
  ready(): number;
}

/**
 * A model of the queue: a key is wanted now or not, and later once at most; the shortest delay wins, as in client-go.
 */
function createModel(now: () => number): Model {
  const wanted = new Set<string>();
  const dueAt = new Map<string, number>();
  const working = new Set<string>();
  const settle = (): void => {
    for (const [key, at] of dueAt) {
      if (at > now()) continue;
      dueAt.delete(key);
      wanted.add(key);
    }
  };
  return {
    want(key, seconds) {
      settle();
      if (seconds <= 0) wanted.add(key);
      else dueAt.set(key, Math.min(dueAt.get(key) ?? Infinity, now() + seconds));
    },
    take(key) {
      settle();
      expect([wanted.delete(key), working.has(key)]).toEqual([true, false]);
      working.add(key);
      return key;
    },
    done(key) {
      working.delete(key);
      return key;
    },
    ready() {
      settle();
      return wanted.difference(working).size;
    },
  };
}

test('after any mix of calls, a key is handed out when its shortest delay is over and no worker has it, and not before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = createManualClock();
      const limiter = { delay: () => LIMIT_SECONDS, forget: () => undefined, retries: () => 0 };
      const queue = createWorkQueue({ clock, rateLimiter: limiter });
      const model = createModel(() => clock.now());
      const working: string[] = [];
      for (const one of steps) {
        switch (one.do) {
          case 'add':
            queue.add(one.key);
            model.want(one.key, 0);
            break;
          case 'addRateLimited':
            queue.addRateLimited(one.key);
            model.want(one.key, LIMIT_SECONDS);
            break;
          case 'addAfter':
            queue.addAfter(one.key, one.eighths / 8);
            model.want(one.key, one.eighths / 8);
            break;
          case 'advance':
            clock.advance(one.eighths / 8);
            break;
          case 'take':
            if (queue.length > 0) working.push(model.take((await queue.get()) as string));
            break;
          case 'done':
            if (working.length > 0) queue.done(model.done(working.shift() as string));
        }
        expect(queue.length).toBe(model.ready());
      }
    }),
    { numRuns: runsOf(500) },
  );
});

describe('rate limiters', () => {
  test('a failing key waits twice as long each time, up to the limit, and from the start after a success', () => {
    const limiter = exponentialPerItem({ baseSeconds: 1, maxSeconds: 5 });
    expect([1, 2, 3, 4, 5].map(() => limiter.delay('x'))).toEqual([1, 2, 4, 5, 5]);
    expect(limiter.delay('y')).toBe(1);
    expect(limiter.retries('x')).toBe(5);
    limiter.forget('x');
    expect(limiter.delay('x')).toBe(1);
  });

  test('a token bucket permits a burst and then its rate, measured over any time', () => {
    const clock = createManualClock();
    const bucket = createBucket({ perSecond: 2, burst: 3, clock });
    expect([1, 2, 3, 4, 5].map(() => bucket.reserve())).toEqual([0, 0, 0, 0.5, 1]);
    clock.advance(1.5);
    expect(bucket.take()).toBe(true);
    expect(bucket.take()).toBe(false);
  });

  test('the slowest of several limiters decides', () => {
    const clock = createManualClock();
    const limiter = longestOf(exponentialPerItem({ baseSeconds: 3 }), tokenBucket({ perSecond: 0.1, burst: 1, clock }));
    expect([limiter.delay('a'), limiter.delay('b')]).toEqual([3, 10]);
  });
});
