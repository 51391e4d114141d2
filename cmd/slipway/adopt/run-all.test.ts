/** Which operators `slipway adopt run --all` hands over, and how it ends. */
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../../api/errors.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { notHandedOver } from '../../../adoption/refusal.ts';
import { firstOf, runAll } from './run-all.ts';

interface Row {
  readonly name: string;
  readonly state: 'ready' | 'wait' | 'after';
  readonly message: string;
}

const REF = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription', namespace: 'ops', name: 'edited' };
const edited = notHandedOver(REF, { why: 'ConfigMap settings was edited' });
const FORBIDDEN = new ReasonedError({ reason: 'Forbidden', retry: 'backoff', message: 'no' });
const rowOf = (name: string, state: Row['state'] = 'ready'): Row => ({ name, state, message: `is ${state}` });

/** Operators whose hand-over ends as given; one that is handed over is no longer listed. */
function operatorsOf(rows: readonly Row[], ends: Readonly<Record<string, Error | 3>>, begun: readonly string[] = []) {
  const left = new Set(rows);
  const tried: string[] = [];
  const operators = {
    next: async (isRefused: (row: Row) => boolean) => {
      const next = firstOf([...left], isRefused);
      return { next, hasBegun: begun.includes(next?.name ?? ''), rest: [...left] };
    },
    handOver: async ({ name }: Row) => {
      tried.push(name);
      const end = ends[name];
      if (end instanceof Error) throw end;
      for (const row of left) if (row.name === name) left.delete(row);
      return { data: {}, text: 'one\n', exitCode: end ?? 0 } as const;
    },
    idOf: ({ name }: Row) => name,
    toData: ({ name }: Row) => name,
  };
  return { tried, run: () => runAll(operators, 'json') };
}

describe('all operators', () => {
  test('are handed over one after the other, first those that are ready', async () => {
    const { run, tried } = operatorsOf([rowOf('busy', 'wait'), rowOf('a'), rowOf('b')], {});
    const { text, exitCode } = await run();
    expect(tried).toEqual(['a', 'b', 'busy']);
    expect({ text, exitCode }).toEqual({ text: '3 operators handed over:\n  a\n  b\n  busy\n', exitCode: 0 });
  });

  test.each([
    { because: 'it needs a flag', error: edited, cause: 'ConfigMap settings was edited. Nothing has been changed' },
    { because: 'it has no version', error: invalidInput('it has no version', 'Upgrade it'), cause: 'it has no version. Upgrade it' }, // prettier-ignore
  ])('do not wait for one that is refused, and the end names it: $because', async ({ error, cause }) => {
    const { run, tried } = operatorsOf([rowOf('edited'), rowOf('other'), rowOf('needed', 'after')], { edited: error });
    const { text, data, exitCode } = await run();
    expect(tried).toEqual(['edited', 'other']);
    expect(exitCode).toBe(2);
    expect(text).toContain('1 operator handed over:\n  other\nNot handed over:\n  edited: ');
    expect(text).toContain(cause);
    expect(data).toMatchObject({ handedOver: ['other'], notHandedOver: [{ name: 'edited' }, { name: 'needed', message: 'is after' }] }); // prettier-ignore
  });

  test.each([
    { because: 'its hand-over has begun', error: edited, begun: ['first'] },
    { because: 'the person lacks a right', error: FORBIDDEN, begun: [] },
    { because: 'it is a defect', error: new TypeError('x'), begun: [] },
  ])('wait for one that meets an error: $because', async ({ error, begun }) => {
    const { run, tried } = operatorsOf([rowOf('first'), rowOf('other')], { first: error }, begun);
    await expect(run()).rejects.toBe(error);
    expect(tried).toEqual(['first']);
  });

  test('wait for one that does not end in time', async () => {
    const { run, tried } = operatorsOf([rowOf('slow'), rowOf('other')], { slow: 3 });
    expect(await run()).toMatchObject({ exitCode: 3, text: 'one\n' });
    expect(tried).toEqual(['slow']);
  });
});
