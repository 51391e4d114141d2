import { describe, expect, test } from 'vitest';
import type { Condition } from '../../api/conditions.ts';
import { judgeMoment, judgeRest, judgeSoak } from './invariants.ts';

const revision = (namespace: string, name: string, state: string) => ({
  metadata: { namespace, name },
  spec: { subscription: 'op', state },
});
const FOREIGN = new Map([['a', '7']]);

describe('at every moment', () => {
  test.each([
    {
      because: 'one is active',
      states: [
        ['a', 'Active'],
        ['a', 'Archived'],
      ],
      now: FOREIGN,
      broken: 0,
    },
    { because: 'none is active for a while', states: [['a', 'Archived']], now: FOREIGN, broken: 0 },
    {
      because: 'the same name is in two namespaces',
      states: [
        ['a', 'Active'],
        ['b', 'Active'],
      ],
      now: FOREIGN,
      broken: 0,
    },
    {
      because: 'two are active',
      states: [
        ['a', 'Active'],
        ['a', 'Active'],
      ],
      now: FOREIGN,
      broken: 1,
    },
    { because: 'a foreign object was written', states: [], now: new Map([['a', '8']]), broken: 1 },
    { because: 'a foreign object was deleted', states: [], now: new Map(), broken: 1 },
  ] as const)('$broken invariants are broken if $because', ({ states, now, broken }) => {
    const revisions = states.map(([namespace, state], at) => revision(namespace, `op-${at}`, state));
    expect(judgeMoment(revisions, { before: FOREIGN, now })).toHaveLength(broken);
  });
});

describe('when the people have gone', () => {
  const condition = (change: Partial<Condition>): Condition => ({
    type: 'Ready',
    status: 'True',
    reason: 'Ready',
    message: 'It works.',
    observedGeneration: 2,
    lastTransitionTime: '2026-11-22T00:00:00Z',
    ...change,
  });

  test.each([
    { because: 'it is Ready', conditions: [condition({})], broken: 0 },
    { because: 'it says why it is not', conditions: [condition({ status: 'False', reason: 'Collision' })], broken: 0 },
    { because: 'it has no condition', conditions: [], broken: 1 },
    { because: 'Ready is about an earlier spec', conditions: [condition({ observedGeneration: 1 })], broken: 1 },
    {
      because: 'the reason is a defect',
      conditions: [condition({ status: 'False', reason: 'InternalError' })],
      broken: 1,
    },
    {
      because: 'there is no message',
      conditions: [condition({ status: 'False', reason: 'Collision', message: '' })],
      broken: 1,
    },
    {
      because: 'work goes on without an end',
      conditions: [condition({}), condition({ type: 'Reconciling' })],
      broken: 1,
    },
  ])('$broken invariants are broken if $because', ({ conditions, broken }) => {
    const found = judgeRest([{ metadata: { name: 'op', generation: 2 }, status: { conditions } }]);
    expect(found).toHaveLength(broken);
  });
});

describe('over the whole time', () => {
  const samples = (early: number, late: number) =>
    Array.from({ length: 80 }, (_, at) => ({ pid: 1, megabytes: at < 60 ? early : late }));

  test.each([
    { because: 'memory is flat', early: 80, late: 85, broken: 0 },
    { because: 'memory grows', early: 80, late: 140, broken: 1 },
  ])('$broken invariants are broken if $because', ({ early, late, broken }) => {
    expect(judgeSoak(samples(early, late))).toHaveLength(broken);
  });

  test('a soak that is too short says nothing about memory', () => {
    expect(judgeSoak(samples(80, 200).slice(50, 70))).toEqual([]);
  });
});
