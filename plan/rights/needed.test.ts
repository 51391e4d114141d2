/** Which rules an account needs beside others: the same as by trying each, with an effort that grows with their number. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import { AtomSet, EVERYWHERE, type Atom } from './atom.ts';
import { RightsBudget } from './budget.ts';
import { dropSpare } from './enabling.ts';
import { joinWithin } from './join-rules.ts';
import { findNeeded } from './needed.ts';
import type { ScopedRule } from './scoped-rule.ts';

const resource = (of: { scope?: string; group: string; verb: string; name?: string }): Atom => ({
  kind: 'resource',
  holder: 'h',
  scope: of.scope ?? '',
  group: of.group,
  resource: 'pods',
  verb: of.verb,
  name: of.name ?? '',
});
const url = (path: string, verb: string): Atom => ({ kind: 'url', holder: 'h', url: path, verb });

const anyAtom = fc.oneof(
  fc
    .record({
      scope: fc.constantFrom('', 'ops'),
      group: fc.constantFrom('a', 'b', '*'),
      verb: fc.constantFrom('get', '*'),
      name: fc.constantFrom('', 'one'),
    })
    .map(resource),
  fc
    .tuple(fc.constantFrom('/a', '/a*', '/a/*', '/a/b', '/b*', '*'), fc.constantFrom('get', '*'))
    .map(([path, verb]) => url(path, verb)),
);

/** By its definition: the shortest list first, each beside all that are kept. */
function neededByTrying(lists: readonly (readonly Atom[])[]): readonly boolean[] {
  const kept = new Set(lists.keys());
  for (const at of [...lists.keys()].toSorted((a, b) => (lists[a]?.length ?? 0) - (lists[b]?.length ?? 0))) {
    const others = new AtomSet([...kept].filter((one) => one !== at).flatMap((one) => lists[one] ?? []));
    if (lists[at]?.every((atom) => others.covers(atom)) === true) kept.delete(at);
  }
  return lists.map((_, at) => kept.has(at));
}

/** Atoms that count how often they are read. */
function counting(lists: readonly (readonly Atom[])[]): { lists: readonly (readonly Atom[])[]; reads: () => number } {
  let reads = 0;
  const get = (target: object, field: string): unknown => {
    reads += 1;
    return Reflect.get(target, field);
  };
  return { lists: lists.map((list) => list.map((atom) => new Proxy(atom, { get }) as Atom)), reads: () => reads };
}

const rule = (verb: string, name: string): ScopedRule => ({
  scope: EVERYWHERE,
  rule: {
    verbs: [verb],
    apiGroups: ['a'],
    resources: ['roles'],
    resourceNames: name === '' ? [] : [name],
    nonResourceURLs: [],
  },
});

describe('a list of rules without spare ones', () => {
  test('is the same as by trying each rule', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyAtom, { minLength: 1, maxLength: 4 }), { maxLength: 6 }), (lists) => {
        expect(findNeeded(lists)).toEqual(neededByTrying(lists));
      }),
      { numRuns: runsOf(1000) },
    );
  });

  test('takes twice the effort for twice as many rules', () => {
    const effortOf = (count: number): number => {
      const { lists, reads } = counting(
        Array.from({ length: count }, (_, at) => [resource({ group: `g${at}`, verb: 'get' })]),
      );
      expect(findNeeded(lists).every(Boolean)).toBe(true);
      return reads();
    };
    expect(effortOf(400)).toBeLessThanOrEqual(2 * effortOf(200));
  });

  test('is not known beyond the budget', () => {
    const rules = Array.from({ length: 20 }, (_, at) => rule('get', `n${at}`));
    expect(joinWithin(rules, new RightsBudget(60))).toHaveLength(20);
    expect(joinWithin(rules, new RightsBudget(20))).toBeUndefined();
  });
});

describe('the rules by which an account may give rights away', () => {
  test('are kept if a wanted right needs them, and the last of several is kept', () => {
    const rules = [rule('bind', ''), rule('bind', 'a'), rule('*', 'b'), rule('escalate', 'a')];
    expect(dropSpare(rules, [rule('bind', 'a'), rule('bind', 'b')], new RightsBudget())).toEqual([
      rule('bind', 'a'),
      rule('*', 'b'),
    ]);
  });

  test('are not known if they meet the wanted rights too often', () => {
    const rules = Array.from({ length: 20 }, () => rule('bind', ''));
    const wanted = Array.from({ length: 20 }, (_, at) => rule('bind', `n${at}`));
    expect(dropSpare(rules, wanted, new RightsBudget(400))).toHaveLength(1);
    expect(dropSpare(rules, wanted, new RightsBudget(399))).toBeUndefined();
  });
});
