import { describe, expect, test } from 'vitest';
import type { Condition } from '../../api/conditions.ts';
import { judgeKept, judgeMoment, judgeRest, judgeSoak } from './invariants.ts';

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

describe('of the custom resources', () => {
  test.each([
    { because: 'it is still there', now: [['a', '1']], deleted: [], broken: 0 },
    {
      because: 'another one was created',
      now: [
        ['a', '1'],
        ['b', '2'],
      ],
      deleted: [],
      broken: 0,
    },
    { because: 'it is gone', now: [], deleted: [], broken: 1 },
    { because: 'it was created again', now: [['a', '2']], deleted: [], broken: 1 },
    { because: 'a person deleted it', now: [], deleted: ['a'], broken: 0 },
    { because: 'a person deleted another one', now: [], deleted: ['b'], broken: 1 },
  ] as const)('$broken invariants are broken if $because', ({ now, deleted, broken }) => {
    const looks = { before: new Map([['a', '1']]), now: new Map<string, string>(now) };
    expect(judgeKept(looks, new Set(deleted))).toHaveLength(broken);
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
  /** One process for each list, a sample for each number. */
  const samples = (...processes: readonly (readonly number[])[]) =>
    processes.flatMap((sizes, pid) => sizes.map((megabytes) => ({ pid, megabytes })));
  const flat = (megabytes: number, count: number): readonly number[] => Array.from({ length: count }, () => megabytes);
  const grown = [...flat(80, 20), ...flat(140, 40)];

  test.each([
    { because: 'memory is flat', memory: samples(flat(80, 60)), broken: [] },
    { because: 'memory moves by chance', memory: samples([...flat(80, 20), ...flat(105, 40)]), broken: [] },
    {
      because: 'memory grows to the end',
      memory: samples([...flat(80, 40), ...flat(140, 20)]),
      broken: ['of the whole soak', 'of process 0'],
    },
    {
      because: 'memory grows in the middle and is freed again',
      memory: samples([...flat(80, 20), ...flat(140, 20), ...flat(80, 20)]),
      broken: ['of the whole soak', 'of process 0'],
    },
    { because: 'a short soak grows too', memory: samples([80, 140, 140]), broken: ['of the whole soak'] },
    {
      because: 'a process that was started later grows, but not above the first one',
      memory: samples(flat(150, 30), [...flat(70, 20), ...flat(130, 40)]),
      broken: ['of process 1'],
    },
    {
      because: 'each process begins with little and lives too short to be judged',
      memory: samples([80, 150, 150], [80, 150, 150], [80, 150, 150]),
      broken: [],
    },
    { because: 'it was never measured', memory: [], broken: ['was never measured'] },
    {
      because: 'one process grew before another one was started',
      memory: samples(grown, flat(80, 60)),
      broken: ['of process 0'],
    },
  ])('the broken invariants are $broken if $because', ({ memory, broken }) => {
    const found = judgeSoak(memory);
    expect(found.map((line) => /^memory (.*?)(?: grows: .*)?$/.exec(line)?.[1])).toEqual(broken);
  });
});
