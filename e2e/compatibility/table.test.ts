/** Results become rows, and surprises if they are not as expected. */
import { describe, expect, test } from 'vitest';
import { planTrials, type Trial } from './plan.ts';
import { REFUSALS } from './refusals.ts';
import { contradictionsIn, rowOf, surprisesIn, type Row } from './table.ts';
import { emptyPackage, packageOf } from './testing/packages.ts';
import type { Outcome } from './verdict.ts';
import type { Result } from './wave.ts';

const PINNED = REFUSALS.find(({ trials }) => trials.includes('head'))!;
const gadget = packageOf('gadget', { channels: { stable: ['1.0.0', '1.1.0', '1.2.0'] } });
const refused = packageOf(PINNED.name, { source: PINNED.source });
const READY: Outcome = { outcome: 'Ready' };
const AS_PINNED: Outcome = { outcome: 'Refused', reason: PINNED.reason, message: `This: ${PINNED.says}.` };

function result(trial: Trial, more: Partial<Result> = {}): Result {
  return { trial, outcome: READY, steps: [trial.head.name], beside: [], faults: [], seconds: 1, ...more };
}

describe('a row', () => {
  test('has the versions that were passed, one after the other', () => {
    const [head, upgrade] = planTrials(gadget) as [Trial, Trial];
    const steps = ['gadget.v1.0.0', 'gadget.v1.1.0', 'gadget.v1.2.0'];
    expect(rowOf(gadget, [result(head), result(upgrade, { steps, beside: ['other'] })])).toEqual({
      source: 'dev-set',
      name: 'gadget',
      head: { versions: ['1.2.0'], outcome: 'Ready', beside: [] },
      upgrade: { versions: ['1.0.0', '1.1.0', '1.2.0'], outcome: 'Ready', beside: ['other'] },
    });
  });

  test('has the versions that were meant, if one is refused', () => {
    const [, upgrade] = planTrials(gadget) as [Trial, Trial];
    const outcome: Outcome = { outcome: 'Refused', reason: 'BundleUnsupported', message: 'm' };
    const { upgrade: cell } = rowOf(gadget, [result(upgrade, { outcome, steps: [] })]);
    expect(cell).toEqual({ versions: ['1.0.0', '1.2.0'], outcome: 'BundleUnsupported', beside: [] });
  });

  test('is empty if there was nothing to try, and never has what another archive came to', () => {
    const [head] = planTrials(gadget) as [Trial];
    const nothing = { versions: [], outcome: '', beside: [] };
    expect(rowOf(emptyPackage('empty'), [])).toMatchObject({ head: nothing, upgrade: nothing });
    expect(rowOf({ ...gadget, source: 'found-2026-11' }, [result(head)])).toMatchObject({ head: nothing });
  });
});

describe('a surprise', () => {
  test.each([
    { because: 'it is Ready as expected', of: gadget, more: {}, surprises: 0 },
    { because: 'it is refused as expected', of: refused, more: { outcome: AS_PINNED }, surprises: 0 },
    { because: 'it was to be refused', of: refused, more: {}, surprises: 1 },
    { because: 'it was to be Ready', of: gadget, more: { outcome: AS_PINNED }, surprises: 1 },
    {
      because: 'it is refused for another reason',
      of: refused,
      more: { outcome: { ...AS_PINNED, reason: 'Collision' } as Outcome },
      surprises: 1,
    },
    {
      because: 'it is refused for something else of the same reason',
      of: refused,
      more: { outcome: { ...AS_PINNED, message: 'm' } as Outcome },
      surprises: 1,
    },
    {
      because: 'it does not come to an end',
      of: refused,
      more: { outcome: { ...AS_PINNED, outcome: 'Unfinished' } as Outcome },
      surprises: 1,
    },
    { because: 'an object is left', of: gadget, more: { faults: ['left: x', 'left: y'] }, surprises: 2 },
    {
      because: 'a refused package leaves an object',
      of: refused,
      more: { outcome: AS_PINNED, faults: ['left: x'] },
      surprises: 1,
    },
  ])('is said $surprises times: $because', ({ of, more, surprises }) => {
    const [trial] = planTrials(of) as [Trial];
    expect(surprisesIn([result(trial, more)])).toHaveLength(surprises);
  });
});

describe('rows and the table of refusals', () => {
  const all: readonly Row[] = REFUSALS.map((one) => rowFor(one.name, one.source)).filter(
    (row, at, rows) => rows.findIndex((other) => other.name === row.name && other.source === row.source) === at,
  );

  test('agree', () => {
    expect(contradictionsIn(all)).toEqual([]);
  });

  test.each([
    { because: 'a row is missing', rows: all.filter(({ name }) => name !== PINNED.name) },
    {
      because: 'a refusal is not in the table',
      rows: [...all, { ...rowFor('gadget', 'dev-set'), head: refusal('Collision') }],
    },
    {
      because: 'it is refused for another reason',
      rows: all.map((row) => ({ ...row, head: refusal('InternalError') })),
    },
    { because: 'it is not refused', rows: all.map((row) => ({ ...row, head: refusal('Ready') })) },
  ])('contradict each other if $because', ({ rows }) => {
    expect(contradictionsIn(rows)).not.toEqual([]);
  });

  test.each(REFUSALS)('$name of $source, $trials: $reason, since $because', ({ says, because }) => {
    expect(says.length).toBeGreaterThan(5);
    expect(because.length).toBeGreaterThan(10);
    expect(because).not.toMatch(/[|\n]/);
  });
});

function rowFor(name: string, source: Row['source']): Row {
  const cell = (kind: 'head' | 'upgrade'): Row['head'] => {
    const found = REFUSALS.find((one) => one.name === name && one.source === source && one.trials.includes(kind));
    return refusal(found?.reason ?? 'Ready');
  };
  return { name, source, head: cell('head'), upgrade: cell('upgrade') };
}

function refusal(outcome: string): Row['head'] {
  return { versions: ['1.0.0'], outcome, beside: [] };
}
