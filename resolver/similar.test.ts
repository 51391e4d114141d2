import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import { similarTo } from './similar.ts';

describe('names that are similar to an unknown one', () => {
  const NAMES = [
    'cert-manager',
    'cert-manager-operator',
    'certs',
    'grafana-operator',
    'prometheus',
    'redis',
    'a',
    'ab',
  ];
  test.each([
    { because: 'a letter is missing', wanted: 'cert-manger', finds: ['cert-manager'] },
    { because: 'a letter is too many', wanted: 'prometheuss', finds: ['prometheus'] },
    { because: 'a letter is wrong', wanted: 'rediz', finds: ['redis'] },
    { because: 'two letters changed places', wanted: 'reids', finds: ['redis'] },
    { because: 'large letters are no other name', wanted: 'Redis', finds: ['redis'] },
    { because: 'a suffix is missing', wanted: 'grafana', finds: ['grafana-operator'] },
    { because: 'a suffix is too many', wanted: 'redis-operator', finds: ['redis'] },
    { because: 'the nearest comes first', wanted: 'cert-managr', finds: ['cert-manager'] },
    { because: 'a short name differs in everything', wanted: 'x', finds: [] },
    { because: 'of a short name one letter is half', wanted: 'ac', finds: [] },
    { because: 'nothing is near', wanted: 'postgres', finds: [] },
    { because: 'nothing is asked for', wanted: '', finds: [] },
  ])('names similar to $wanted: $because', ({ wanted, finds }) => {
    expect(similarTo(wanted, NAMES)).toEqual(finds);
  });

  test('at most a few similar names are found, the nearest first, then by name', () => {
    expect(similarTo('operator', ['operators', 'operatorz', 'operatora', 'operatro', 'operat'])).toEqual([
      'operatora',
      'operators',
      'operatorz',
    ]);
  });

  test('only a bounded number of names of bounded length is compared', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `name-${index}`);
    expect(similarTo('reids', [...many, 'redis'])).toEqual([]);
    expect(similarTo('x'.repeat(300), ['x'.repeat(301)])).toEqual([]);
  });

  test('cost little if a hostile catalog has many long names that differ late', () => {
    const wanted = 'a'.repeat(250);
    const names = Array.from({ length: 10_000 }, (_, index) => `${'a'.repeat(247)}${String(index).padStart(5, '0')}`);
    const start = process.threadCpuUsage();
    similarTo(wanted, names);
    const { user } = process.threadCpuUsage(start);
    expect(user / 1e6).toBeLessThan(3);
  });

  test.each([
    { steps: 0, from: 'prometheus-operator', to: 'PROMETHEUS-operator', isFound: true },
    { steps: 3, from: 'prometheus-operator', to: 'rometheus-operatxrs', isFound: true },
    { steps: 3, from: 'prometheus-operator', to: 'prometheus-operatorabc', isFound: true },
    { steps: 3, from: 'prometheus-operator', to: 'metheus-operator', isFound: true },
    { steps: 3, from: 'prometheus-operator', to: 'rpmoetheus-oeprator', isFound: true },
    { steps: 4, from: 'prometheus-operator', to: 'rpmoetheus-oeprat0r', isFound: false },
    { steps: 4, from: 'prometheus-operator', to: 'etheus-operator', isFound: false },
    { steps: 4, from: 'prometheus-operator', to: 'prometheus-operatorabcd', isFound: false },
  ])('$to is $steps steps from $from', ({ from, to, isFound }) => {
    expect([similarTo(from, [to]), similarTo(to, [from])]).toEqual(isFound ? [[to], [from]] : [[], []]);
  });

  test('similar names exist, differ from the wanted name, and do not depend on the order of the names', () => {
    const name = fc.stringMatching(/^[abc-]{0,12}$/);
    fc.assert(
      fc.property(name, fc.array(name, { maxLength: 12 }), (wanted, names) => {
        const found = similarTo(wanted, names);
        expect(names).toEqual(expect.arrayContaining([...found]));
        expect(found).not.toContain(wanted);
        expect(new Set(found).size).toBe(found.length);
        expect(found.length).toBeLessThanOrEqual(3);
        expect(similarTo(wanted, names.toReversed())).toEqual(found);
      }),
      { numRuns: runsOf(1000) },
    );
  });

  test('a name with one letter changed is found', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{6,12}$/), fc.nat(5), (wanted, at) => {
        const typo = `${wanted.slice(0, at)}_${wanted.slice(at + 1)}`;
        expect(similarTo(typo, [wanted])).toEqual([wanted]);
      }),
      { numRuns: runsOf(300) },
    );
  });
});
