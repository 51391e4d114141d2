import { describe, expect, test } from 'vitest';
import type { Fault } from '../lib/fault-proxy.ts';
import { happened, planFaults, type FaultPlan } from './fault-plan.ts';

const SEVERITY = { seed: 1, seconds: 60, longestPartitionSeconds: 60 };
const MANY = 3000;
const body = Buffer.from('');

function drawn(plan: FaultPlan, method: string, path = '/api/v1/secrets'): readonly string[] {
  const faults = Array.from({ length: MANY }, (_, n) => plan.api({ method, path, body }, n));
  return faults.flatMap((fault) => (fault === undefined ? [] : [nameOf(fault)]));
}

function nameOf(fault: Fault): string {
  if (fault.kind !== 'refuse') return fault.kind;
  return fault.headers?.['retry-after'] === undefined ? String(fault.status) : `${fault.status} with Retry-After`;
}

describe('the faults of a seed', () => {
  const ANSWERS = ['429', '429 with Retry-After', '500', '503'];
  const READ = [...ANSWERS, 'cut', 'delay'];

  test.each([
    { method: 'GET', path: '/api/v1/secrets', kinds: READ, because: 'a read cannot conflict' },
    { method: 'PATCH', path: '/api/v1/secrets/a', kinds: ['409', ...READ], because: 'another writer may be faster' },
    { method: 'POST', path: '/api/v1/secrets', kinds: READ, because: 'a 409 would say that the object exists' },
    {
      method: 'GET',
      path: '/api/v1/secrets?watch=true',
      kinds: [...ANSWERS, 'end'],
      because: 'a watch never ends by itself',
    },
  ])('are all that can befall a $method $path: $because', ({ method, path, kinds }) => {
    expect([...new Set(drawn(planFaults(SEVERITY), method, path))].toSorted()).toEqual(kinds);
  });

  test('leave most requests alone, or no work would ever be done', () => {
    const share = drawn(planFaults(SEVERITY), 'GET').length / MANY;
    expect(share).toBeGreaterThan(0.04);
    expect(share).toBeLessThan(0.15);
  });

  test('are the same for the same seed, and others for another', () => {
    const [first, again, other] = [1, 1, 2].map((seed) => drawn(planFaults({ ...SEVERITY, seed }), 'PATCH'));
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });

  test('have partitions on both sides that begin in time, one after the other', () => {
    const plans = Array.from({ length: 50 }, (_, seed) => planFaults({ ...SEVERITY, seed }).partitions);
    expect(new Set(plans.flat().map(({ side }) => side))).toEqual(new Set(['api', 'registry']));
    expect(Math.max(...plans.flat().map(({ seconds }) => seconds))).toBeGreaterThan(50);
    for (const partitions of plans) {
      expect(partitions.length).toBeGreaterThan(0);
      let end = 0;
      for (const { afterSeconds, seconds } of partitions) {
        expect(afterSeconds).toBeGreaterThan(end);
        expect(afterSeconds).toBeLessThan(SEVERITY.seconds);
        end = afterSeconds + seconds;
      }
    }
  });
});

describe('a table lists the partitions as they happened', () => {
  const planned = [
    { side: 'api', afterSeconds: 2, seconds: 3 },
    { side: 'registry', afterSeconds: 9, seconds: 57 },
  ] as const;

  test.each([
    { stopped: 90, shown: ['api 3', 'registry 57'], because: 'the faults lasted long enough for both' },
    { stopped: 21, shown: ['api 3', 'registry 12'], because: 'the lives ended in the middle of the second one' },
    { stopped: 9, shown: ['api 3'], because: 'the second one had not begun' },
    { stopped: 1, shown: [], because: 'none had begun' },
  ])('$shown of the planned ones if the faults stopped after $stopped s: $because', ({ stopped, shown }) => {
    expect(happened(planned, stopped).map(({ side, seconds }) => `${side} ${seconds}`)).toEqual(shown);
  });
});
