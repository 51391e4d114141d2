import { describe, expect, test } from 'vitest';
import type { AuditedRequest } from './audit-log.ts';
import { chainOf, formatChain, lengthOf } from './request-chain.ts';

type Times = readonly [at: number, until: number, resource?: string];

function requestsAt(times: readonly Times[]): readonly AuditedRequest[] {
  return times.map(([at, until, resource = 'configmaps']) => ({
    verb: 'patch',
    resource,
    name: 'one',
    dryRun: false,
    code: 200,
    at,
    until,
  }));
}

describe('the chain of requests', () => {
  test.for<{ because: string; times: readonly Times[]; depths: readonly number[] }>([
    { because: 'there is none', times: [], depths: [] },
    {
      because: 'they overlap',
      times: [
        [0, 9],
        [1, 8],
        [2, 7],
      ],
      depths: [1, 1, 1],
    },
    {
      because: 'each begins when the one before has ended',
      times: [
        [0, 2],
        [3, 5],
        [5, 7],
      ],
      depths: [1, 2, 3],
    },
    {
      because: 'two wait for the longer of two',
      times: [
        [0, 2],
        [1, 5],
        [6, 7],
        [6, 8],
      ],
      depths: [1, 1, 2, 2],
    },
    {
      because: 'a short one is over while a long one goes on',
      times: [
        [0, 9],
        [1, 2],
        [3, 4],
      ],
      depths: [1, 1, 2],
    },
    {
      because: 'the log lists the first to end first',
      times: [
        [3, 5],
        [0, 2],
      ],
      depths: [1, 2],
    },
    {
      because: 'nothing waits for an event',
      times: [
        [0, 2],
        [3, 4, 'events.events.k8s.io'],
        [5, 6],
      ],
      depths: [1, 2],
    },
  ])('has these depths if $because', ({ times, depths }) => {
    const links = chainOf(requestsAt(times));
    expect(links.map(({ depth }) => depth)).toEqual(depths);
    expect(lengthOf(links)).toBe(Math.max(0, ...depths));
  });

  test('is printed with its count, its length, and the request before each', () => {
    const text = formatChain(
      'install',
      chainOf(
        requestsAt([
          [10, 12],
          [13, 15],
        ]),
      ),
      { from: 10, to: 20 },
    );
    const [head, , second] = text.split('\n');
    expect(head).toBe('install: 2 requests, 2 one after the other, 10 ms');
    expect(second).toMatch(/^ +2 +<1 +2 +3\.0 +5\.0 ms +200 patch configmaps one$/);
  });
});
