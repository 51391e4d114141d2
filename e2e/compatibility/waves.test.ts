/** What may be installed side by side. */
import { describe, expect, test } from 'vitest';
import { requiredPackages } from './needs.ts';
import { planTrials } from './plan.ts';
import { emptyPackage, packageOf, type Sketch } from './testing/packages.ts';
import type { Traits } from './traits.ts';
import { planWaves, splitIntoWaves } from './waves.ts';

const QUIET: Traits = { intercepts: false, foreignKinds: new Set() };

describe('two packages', () => {
  const cases: readonly { because: string; one: Sketch; other: Sketch; traits?: Traits; together: boolean }[] = [
    {
      because: 'they have nothing in common',
      one: { provides: ['A.x.io'] },
      other: { provides: ['B.x.io'] },
      together: true,
    },
    {
      because: 'they define the same kind',
      one: { provides: ['A.x.io'] },
      other: { provides: ['A.x.io'] },
      together: false,
    },
    { because: 'one requires the other', one: {}, other: { requiresPackages: ['one'] }, together: false },
    {
      because: 'one requires a kind of the other',
      one: { provides: ['A.x.io'] },
      other: { requires: ['A.x.io'] },
      together: false,
    },
    {
      because: 'both bring the same package along',
      one: { requiresPackages: ['third'] },
      other: { requires: ['C.x.io'] },
      together: false,
    },
    {
      because: 'a webhook of one is called about objects of the other',
      one: {},
      other: {},
      traits: { ...QUIET, intercepts: true },
      together: false,
    },
    {
      because: 'one uses a kind of a third package, which is to be there for it alone',
      one: {},
      other: {},
      traits: { ...QUIET, foreignKinds: new Set(['C.x.io']) },
      together: false,
    },
  ];

  test.each(cases)('are in one wave: $together, since $because', ({ one, other, traits = QUIET, together }) => {
    const third = packageOf('third', { provides: ['C.x.io'] });
    const [first, second] = [packageOf('one', one), packageOf('other', other)];
    const trials = [first, second].flatMap(planTrials);
    const waves = planWaves(trials, [first, second, third], ({ of }) => (of === first ? traits : QUIET));
    expect(waves.flatMap(({ trials: some }) => some.map(({ of }) => of.name)).toSorted()).toEqual(['one', 'other']);
    expect(waves).toHaveLength(together ? 1 : 2);
  });
});

test('a package that uses a kind without requiring it is installed beside the package that defines it, and that one also alone', () => {
  const [user, provider] = [packageOf('user'), packageOf('provider', { provides: ['C.x.io'] })];
  const kinds = new Set(['C.x.io', 'Unheard.of.io']);
  const waves = planWaves([user, provider].flatMap(planTrials), [user, provider], () => ({
    ...QUIET,
    foreignKinds: kinds,
  }));
  const shown = waves.map(({ trials, beside }) =>
    [trials, beside].map((some) => some.map((one) => ('of' in one ? one.of : one).name)),
  );
  expect(shown).toEqual([
    [['user'], ['provider']],
    [['provider'], []],
  ]);
});

test('heads and upgrades are in different waves, as a package is in both', () => {
  const one = packageOf('one', { channels: { stable: ['1.0.0', '1.1.0'] } });
  const waves = planWaves(planTrials(one), [one], () => QUIET);
  expect(waves.map(({ trials }) => trials.map(({ kind }) => kind))).toEqual([['head'], ['upgrade']]);
});

test('a wave has no more than its size', () => {
  const claims = Array.from({ length: 5 }, (_, at) => ({ claims: new Set([`${at}`]), alone: false }));
  expect(splitIntoWaves(claims, 2).map((wave) => wave.length)).toEqual([2, 2, 1]);
});

test('what is required is found through what that requires, in a circle too', () => {
  const corpus = [
    packageOf('a', { requiresPackages: ['b'] }),
    packageOf('b', { requires: ['C.x.io'], provides: ['B.x.io'] }),
    packageOf('c', { provides: ['C.x.io'], requiresPackages: ['a', 'not-in-the-corpus'] }),
    packageOf('d'),
    emptyPackage('e'),
  ];
  expect(requiredPackages(corpus[0]!, corpus).toSorted()).toEqual(['b', 'c']);
});
