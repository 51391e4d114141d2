import { describe, expect, test } from 'vitest';
import {
  Condition,
  findCondition,
  formatTime,
  isReady,
  isReason,
  setCondition,
  type NextCondition,
} from './conditions.ts';

const earlier = new Date('2026-01-02T03:04:05.678Z');
const later = new Date('2026-01-02T04:00:00Z');

function next(facts: Partial<NextCondition>): NextCondition {
  return { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'All is well', ...facts };
}

describe('a condition', () => {
  test('a new condition transitions now, in whole seconds', () => {
    expect(setCondition(undefined, next({ observedGeneration: 3 }), earlier)).toEqual([
      {
        type: 'Ready',
        status: 'True',
        reason: 'Succeeded',
        message: 'All is well',
        observedGeneration: 3,
        lastTransitionTime: '2026-01-02T03:04:05Z',
      },
    ]);
  });

  test('a condition keeps its transition time while its status stays, whatever else changes', () => {
    const before = setCondition([], next({}), earlier);
    const after = setCondition(before, next({ reason: 'Upgrading', message: 'Working' }), later);
    expect(after).toMatchObject([{ reason: 'Upgrading', message: 'Working', lastTransitionTime: formatTime(earlier) }]);
  });

  test('a condition gets a new transition time when its status changes', () => {
    const after = setCondition(setCondition([], next({}), earlier), next({ status: 'False' }), later);
    expect(after).toMatchObject([{ status: 'False', lastTransitionTime: formatTime(later) }]);
  });

  test('setting a condition to its present value gives equal data, so that nothing is written', () => {
    const before = setCondition([], next({}), earlier);
    expect(setCondition(before, next({}), later)).toEqual(before);
  });

  test.each(['Reconciling', 'Stalled'] as const)('the condition %s exists only while it is true', (type) => {
    const on = setCondition(setCondition([], next({}), earlier), next({ type }), earlier);
    expect(on.map((condition) => condition.type)).toEqual(['Ready', type]);
    for (const status of ['False', 'Unknown'] as const) {
      expect(setCondition(on, next({ type, status }), later).map((condition) => condition.type)).toEqual(['Ready']);
    }
  });

  test('other conditions stay when they are false', () => {
    expect(setCondition([], next({ type: 'UpgradeAvailable', status: 'False' }), earlier)).toHaveLength(1);
  });

  test('conditions have one order, however they were set, and unknown types stay', () => {
    const foreign = { ...setCondition([], next({}), earlier)[0], type: 'example.com/Checked' } as Condition;
    const conditions = (['Deprecated', 'Stalled', 'Ready'] as const).reduce(
      (list, type) => setCondition(list, next({ type }), earlier),
      [foreign] as readonly Condition[],
    );
    expect(conditions.map(({ type }) => type)).toEqual(['Ready', 'Stalled', 'Deprecated', 'example.com/Checked']);
  });

  test('setCondition does not change its input', () => {
    const before = Object.freeze([...setCondition([], next({}), earlier)]);
    setCondition(before, next({ status: 'False' }), later);
    expect(before).toMatchObject([{ status: 'True' }]);
  });

  test('a message has no control characters or secrets, and is no longer than the API allows', () => {
    const message = `\u001B[31mred\u0000 Bearer abc.def ${'x'.repeat(10_000)}`;
    const [condition] = setCondition([], next({ message }), earlier);
    expect(condition?.message).not.toMatch(/[\u0000\u001B]|abc\.def/);
    expect(Condition.safeParse(condition).success).toBe(true);
  });

  test('a condition is found by its type', () => {
    const conditions = setCondition(setCondition([], next({}), earlier), next({ type: 'Deprecated' }), earlier);
    expect(findCondition(conditions, 'Deprecated')?.type).toBe('Deprecated');
    expect(findCondition(undefined, 'Deprecated')).toBeUndefined();
  });
});

describe('whether an object is ready', () => {
  const ready = setCondition([], next({}), earlier);
  test.each([
    { because: 'its condition says so', status: { observedGeneration: 2, conditions: ready }, is: true },
    {
      because: 'the condition itself may name the generation',
      status: { conditions: setCondition([], next({ observedGeneration: 2 }), earlier) },
      is: true,
    },
    { because: 'the status describes an older spec', status: { observedGeneration: 1, conditions: ready }, is: false },
    {
      because: 'the condition describes an older spec',
      status: { observedGeneration: 2, conditions: setCondition([], next({ observedGeneration: 1 }), earlier) },
      is: false,
    },
    {
      because: 'its condition is False',
      status: { observedGeneration: 2, conditions: setCondition([], next({ status: 'False' }), earlier) },
      is: false,
    },
    { because: 'no controller has handled it yet', status: { observedGeneration: -1 }, is: false },
    { because: 'it has no status', status: undefined, is: false },
  ])('$because', ({ status, is }) => {
    expect(isReady({ metadata: { generation: 2 }, ...(status && { status }) })).toBe(is);
  });
});

test('isReason accepts words of the list, and no property that every JavaScript object has', () => {
  expect(['Succeeded', 'succeeded', 'toString', '__proto__'].map(isReason)).toEqual([true, false, false, false]);
});
