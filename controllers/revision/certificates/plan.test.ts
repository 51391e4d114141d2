import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planCertificate, rotationTime, type CertificateFacts, type CertificateStep } from './plan.ts';

const at = (day: number): Date => new Date(Date.UTC(2026, 0, 1) + day * 24 * 3600_000);
/** Valid for 30 days: rotated from the 20th on. */
const facts = (fields: Partial<CertificateFacts> = {}): CertificateFacts => ({
  notBefore: at(0),
  notAfter: at(30),
  authorities: 1,
  ...fields,
});
const prepared = facts({ authorities: 2, nextNotAfter: at(50), due: at(21) });
const switched = facts({ notBefore: at(20), notAfter: at(50), authorities: 2, due: at(22) });

describe('the next step of a certificate', () => {
  const cases: readonly {
    facts: CertificateFacts | undefined;
    day: number;
    settled?: boolean;
    step: CertificateStep;
    because: string;
  }[] = [
    { facts: undefined, day: 0, step: 'issue', because: 'there is none' },
    {
      facts: undefined,
      day: 0,
      settled: false,
      step: 'issue',
      because: 'a first roll-out is not settled before it has a certificate',
    },
    { facts: facts(), day: 1, step: 'keep', because: 'it is young' },
    { facts: facts(), day: 19.9, step: 'keep', because: 'two thirds are not over' },
    { facts: facts(), day: 20, step: 'prepare', because: 'two thirds are over' },
    {
      facts: facts(),
      day: 25,
      settled: false,
      step: 'prepare',
      because: 'to trust one more authority harms no caller',
    },
    { facts: facts(), day: 30, step: 'issue', because: 'it has expired' },
    { facts: prepared, day: 20.5, step: 'keep', because: 'not every API server may have read the new authority' },
    { facts: prepared, day: 21, step: 'switch', because: 'both have been trusted for long enough' },
    { facts: prepared, day: 25, settled: false, step: 'keep', because: 'a caller may not trust the new one yet' },
    { facts: prepared, day: 30, settled: false, step: 'switch', because: 'no caller accepts the old one any more' },
    { facts: prepared, day: 51, step: 'issue', because: 'both have expired' },
    { facts: switched, day: 21, step: 'keep', because: 'a Pod may still present the old one' },
    { facts: switched, day: 22, step: 'drop', because: 'every Pod has the new one' },
    { facts: switched, day: 25, settled: false, step: 'keep', because: 'a Pod of the old template may be left' },
    { facts: switched, day: 40, step: 'prepare', because: 'a rotation that is due is more urgent than tidying up' },
    {
      facts: facts({ authorities: 2 }),
      day: 1,
      step: 'drop',
      because: 'without a due time there is nothing to wait for',
    },
  ];

  test.each(cases)(
    'on day $day, settled $settled, the next step of a certificate is $step: $because',
    ({ facts: given, day, step, settled }) => {
      expect(planCertificate(given, { now: at(day), settled: settled ?? true })).toBe(step);
    },
  );
});

test('in every state, a certificate that serves is valid or about to be replaced', () => {
  const day = fc.double({ min: 0, max: 100, noNaN: true });
  const any = fc.record({ now: day, end: day, next: fc.option(day), due: fc.option(day), settled: fc.boolean() });
  fc.assert(
    fc.property(any, ({ now, end, next, due, settled }) => {
      const given = facts({
        notAfter: at(end),
        ...(next !== null && { nextNotAfter: at(next), authorities: 2 }),
        ...(due !== null && { due: at(due) }),
      });
      const step = planCertificate(given, { now: at(now), settled });
      if (now >= end) expect(['issue', 'switch']).toContain(step);
      if (step === 'switch') expect(now).toBeLessThan(next ?? 0);
    }),
  );
});

test('a certificate is rotated after two thirds of its life', () => {
  expect(rotationTime(facts())).toEqual(at(20));
});
