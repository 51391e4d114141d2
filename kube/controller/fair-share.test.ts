import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pickNamespace } from './fair-share.ts';

/** Workers whose reconciles never end, so that each namespace keeps every worker that it takes. */
function createStuckWorkers(workers: number) {
  const held = new Map<string, number>();
  const free = (): number => workers - [...held.values()].reduce((sum, count) => sum + count, 0);
  const heldBy = (namespace: string): number => held.get(namespace) ?? 0;
  /** Hands out workers while one of the namespaces may take one; returns how many each of them holds. */
  const fill = (...waiting: readonly string[]): readonly number[] => {
    const take = (): string | undefined => pickNamespace(waiting, { workers, free: free(), heldBy });
    for (let next = take(); next !== undefined; next = take()) held.set(next, heldBy(next) + 1);
    return waiting.map(heldBy);
  };
  return { fill, heldBy, free };
}

describe('the workers of a namespace', () => {
  test.each([
    { workers: 1, alone: 1, second: 0, because: 'a single worker serves whichever comes' },
    { workers: 2, alone: 1, second: 1, because: 'each of two has one' },
    { workers: 4, alone: 2, second: 1, because: 'a share is one worker' },
    { workers: 16, alone: 8, second: 4, because: 'a share is four workers' },
    { workers: 128, alone: 64, second: 32, because: 'a share is a quarter' },
  ])(
    'are $alone of $workers while no other namespace waits, and $second are free for the next one: $because',
    (row) => {
      const stuck = createStuckWorkers(row.workers);
      expect(stuck.fill('a')).toEqual([row.alone]);
      expect(stuck.fill('a', 'b')).toEqual([row.alone, row.second]);
    },
  );

  test('are one at least for a namespace that holds none, though two others hold as many as they may', () => {
    const stuck = createStuckWorkers(16);
    stuck.fill('a');
    stuck.fill('a', 'b');
    for (const late of ['c', 'd', 'e', 'f']) expect(stuck.fill('a', 'b', late).at(-1), late).toBe(1);
  });

  test('are a share for each of two that come at the same time, before either has more', () => {
    const turns: string[] = [];
    const held = { a: 0, b: 0 };
    for (let free = 16; free > 8; free -= 1) {
      const next = pickNamespace(['a', 'b'], { workers: 16, free, heldBy: (one) => held[one as 'a' | 'b'] });
      held[next as 'a' | 'b'] += 1;
      turns.push(next as string);
    }
    expect(held).toEqual({ a: 4, b: 4 });
  });

  test('are not more than a share while a namespace waits that may take one and holds less', () => {
    const namespaces = ['a', 'b', 'c', 'd', 'e'];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 64 }),
        fc.array(fc.nat(20), { minLength: 5, maxLength: 5 }),
        fc.subarray(namespaces, { minLength: 1 }),
        (workers, counts, waiting) => {
          const heldBy = (one: string): number => counts[namespaces.indexOf(one)] ?? 0;
          const use = { workers, free: workers - counts.reduce((sum, count) => sum + count, 0), heldBy };
          const share = Math.max(1, Math.floor(workers / 4));
          const picked = pickNamespace(waiting, use);
          if (picked === undefined || heldBy(picked) < share) return;
          for (const other of waiting) if (heldBy(other) < share) expect(pickNamespace([other], use)).toBeUndefined();
        },
      ),
    );
  });
});
