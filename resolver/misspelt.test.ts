/** How a name or range that leads to nothing is answered, and how catalogs that cannot be read count then. */
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import { explainDecision } from './explain.ts';
import type { CatalogSource } from './input.ts';
import { ask, chainOf, serving, reported, type Ask } from './testing/ask.ts';
import type { SmallPackage } from './testing/small-catalogs.ts';

const chain = chainOf('1.0.0', '1.1.0', '2.0.0');
const withNames = (name: string, names: readonly string[], priority = 0): CatalogSource => ({
  ...serving(name),
  priority,
  packages: () => names,
});
const silent = (name: string, priority: number, unreadable: boolean): CatalogSource => ({
  name,
  priority,
  state: 'Unavailable',
  ...(unreadable && { unreadable }),
  message: 'the registry is down',
  content: () => {
    throw new Error('asked for content');
  },
});
const READ = 'See why catalog b cannot be read: kubectl describe catalogs.slipway.dev b';

describe('a catalog without content beside others', () => {
  const lacking = withNames('a', []);
  test.each<{ because: string; catalogs: readonly CatalogSource[]; reason: string; blames: readonly string[] }>([
    {
      because: 'it cannot be read, and may still have the package',
      catalogs: [lacking, silent('b', -10, true)],
      reason: 'PackageNotFound',
      blames: ['package', 'b mayHave'],
    },
    {
      because: 'priority does not count if no other catalog has it',
      catalogs: [lacking, silent('b', 10, true)],
      reason: 'PackageNotFound',
      blames: ['package', 'b mayHave'],
    },
    {
      because: 'each that cannot be read may have it',
      catalogs: [lacking, silent('b', 0, true), silent('c', 5, true)],
      reason: 'PackageNotFound',
      blames: ['package', 'c mayHave', 'b mayHave'],
    },
    {
      because: 'it is about to be read, and worth waiting for',
      catalogs: [lacking, silent('b', -10, false)],
      reason: 'CatalogUnavailable',
      blames: ['package', 'b one'],
    },
    {
      because: 'one of two is about to be read',
      catalogs: [lacking, silent('b', 10, true), silent('c', 0, false)],
      reason: 'CatalogUnavailable',
      blames: ['package', 'c one'],
    },
    {
      because: 'no catalog could be searched at all',
      catalogs: [silent('b', 0, true)],
      reason: 'CatalogUnavailable',
      blames: ['b one'],
    },
    {
      because: 'another one has it and goes first',
      catalogs: [serving('a', chain), silent('b', -10, true)],
      reason: 'chosen',
      blames: [],
    },
    {
      because: 'it has precedence, and a first choice is binding',
      catalogs: [serving('a', chain), silent('b', 10, true)],
      reason: 'CatalogUnavailable',
      blames: ['b precedence'],
    },
  ])(
    'with a catalog without content beside others, the answer is $reason: $because',
    ({ catalogs, reason, blames }) => {
      const decision = ask({ catalogs });
      if (decision.kind !== 'none') return expect(reason).toBe('chosen');
      expect(decision.reason).toBe(reason);
      const facts = decision.because.map((fact) =>
        fact.kind === 'catalog' ? `${fact.catalog} ${fact.role}` : fact.kind,
      );
      expect(facts).toEqual(blames);
    },
  );

  test('an unreadable catalog is named as a possible source, after the catalogs that were read', () => {
    expect(reported({ catalogs: [withNames('a', ['oq', 'op-operator']), silent('b', -10, true)] })).toEqual([
      'Package "op": catalog a does not have it; catalog b could not be read, and may have it (the registry is down)',
      `Set package to "op-operator"; or see why catalog b cannot be read: kubectl describe catalogs.slipway.dev b`,
    ]);
    expect(reported({ catalogs: [silent('b', 0, true)] }).at(-1)).toBe(READ);
  });
});

describe('suggestions for a misspelt word', () => {
  const two: SmallPackage = {
    bundles: ['1.0.0', '2.0.0'],
    channels: { stable: [{ version: '1.0.0' }], candidate: [{ version: '2.0.0' }] },
  };
  const GRAMMAR =
    'Write a version as 1.2.3, or a range as ~1.2, ^1.2, 1.x, 1.2 - 1.4 or >=1.2.0 <2.0.0, and several of them with ||';
  const unselected = (source: CatalogSource): CatalogSource => ({ ...source, selected: false });
  const notAllowed: CatalogSource = { ...silent('examples-internal', 0, false), state: 'NotAllowed' };
  test.each<{ because: string; given: Ask; hint: string | undefined }>([
    {
      because: 'a package',
      given: { wanted: { package: 'grafan' }, catalogs: [withNames('a', ['grafana', 'loki'])] },
      hint: 'Set package to "grafana"',
    },
    {
      because: 'packages of several catalogs',
      given: {
        wanted: { package: 'grafan' },
        catalogs: [withNames('a', ['grafana']), withNames('b', ['grafan-', 'loki'])],
      },
      hint: 'Set package to "grafan-" or "grafana"',
    },
    {
      because: 'a package of the named catalog only',
      given: {
        wanted: { package: 'grafan', catalog: 'b' },
        catalogs: [withNames('a', ['grafana']), withNames('b', ['loki'])],
      },
      hint: undefined,
    },
    {
      because: 'no package is near',
      given: { wanted: { package: 'grafan' }, catalogs: [withNames('a', ['loki'])] },
      hint: undefined,
    },
    {
      because: 'a package of a catalog that is not selected is not suggested',
      given: { wanted: { package: 'grafan' }, catalogs: [serving('a'), unselected(withNames('b', ['grafana']))] },
      hint: undefined,
    },
    {
      because: 'a channel, before the one that is higher',
      given: { wanted: { channel: 'stabel' }, catalogs: [serving('a', two)] },
      hint: 'Set channel to "stable", which gives 1.0.0',
    },
    {
      because: 'of a channel that is like no other the highest helps',
      given: { wanted: { channel: 'x' }, catalogs: [serving('a', two)] },
      hint: 'Set channel to "candidate", which gives 2.0.0',
    },
    {
      because: 'a catalog, before those of higher priority',
      given: {
        wanted: { catalog: 'exmaples' },
        catalogs: [unselected({ ...serving('other', chain), priority: 9 }), unselected(serving('examples', chain))],
      },
      hint: 'Set catalog to examples, which gives 2.0.0; or set catalog to other, which gives 2.0.0',
    },
    {
      because: 'a catalog that may not be used is not suggested',
      given: { wanted: { catalog: 'example' }, catalogs: [notAllowed] },
      hint: undefined,
    },
    {
      because: 'an invalid range, with the versions',
      given: { wanted: { version: 'newest' }, catalogs: [serving('a', chain)] },
      hint: `${GRAMMAR}; there are: 2.0.0, 1.1.0, 1.0.0`,
    },
    {
      because: 'an invalid range, for a package that does not exist',
      given: { wanted: { version: 'newest' }, catalogs: [serving('a')] },
      hint: GRAMMAR,
    },
  ])('$because', ({ given, hint }) => {
    const { package: name = 'op' } = given.wanted ?? {};
    expect(explainDecision(ask(given), name).hint).toBe(hint);
  });

  test('the offered versions are listed if none is in the range', () => {
    expect(reported({ wanted: { version: '9.0.0' }, catalogs: [serving('a', chain)] })[0]).toBe(
      'Package "op": the version must be in "9.0.0" (there are: 2.0.0, 1.1.0, 1.0.0)',
    );
  });

  test('a catalog whose index is damaged has no names to suggest', () => {
    const damaged: CatalogSource = {
      ...serving('a'),
      packages: () => {
        throw new ReasonedError({ reason: 'CatalogUnavailable', retry: 'backoff', message: 'damaged' });
      },
    };
    expect(ask({ catalogs: [damaged] })).toMatchObject({ reason: 'PackageNotFound', suggestions: [] });
  });
});

describe('if no edges lead on, the range at fault is named', () => {
  const ranged = (skipRange: string, channels: Partial<SmallPackage['channels']> = {}): Ask => ({
    installed: '1.0.0',
    channel: 'old',
    wanted: { channel: 'stable' },
    catalogs: [
      serving('a', {
        bundles: ['1.0.0', '2.0.0'],
        channels: { stable: [{ version: '2.0.0', skipRange }], old: [{ version: '1.0.0' }], ...channels },
      }),
    ],
  });
  test.each([
    {
      because: 'it ends too early',
      skipRange: '<1.0.0',
      says: 'the skipRange "<1.0.0" of op.v2.0.0 does not include 1.0.0',
    },
    {
      because: 'it begins too late',
      skipRange: '>=1.1.0 <2.0.0',
      says: 'the skipRange ">=1.1.0 <2.0.0" of op.v2.0.0 does not include 1.0.0',
    },
    {
      because: 'it cannot be parsed',
      skipRange: '<v2.0.0',
      says: 'the skipRange "<v2.0.0" of op.v2.0.0 has no effect, as it cannot be parsed',
    },
    { because: 'it is empty', skipRange: '', says: undefined },
  ])('$because', ({ skipRange, says }) => {
    const decision = ask(ranged(skipRange));
    expect(decision).toMatchObject({ kind: 'none', reason: 'NoUpgradePath' });
    const { message } = explainDecision(decision, 'op');
    if (says === undefined) expect(message).not.toContain('skipRange');
    else expect(message).toContain(says);
  });
});
