import { describe, expect, test } from 'vitest';
import type { CatalogPackage, ChannelEntry } from '../catalog/model.ts';
import { LINT_RULES, lintPackage, type LintFinding } from './lint.ts';

type Entry = Partial<ChannelEntry> & { readonly name: string };

/** A package whose bundles are named by their versions: `1.0.0`. */
function packageOf(
  entries: readonly Entry[],
  { image = '@sha256:0', lacking = [] as readonly string[] } = {},
): CatalogPackage {
  return {
    name: 'gadget',
    defaultChannel: 'stable',
    channels: [{ name: 'stable', entries: entries.map((entry) => ({ skips: [], ...entry })) }],
    bundles: entries
      .filter(({ name }) => !lacking.includes(name))
      .map(({ name }) => ({
        name,
        package: 'gadget',
        version: name,
        image: `registry.example/gadget${image}`,
        properties: [],
        relatedImages: [],
      })),
    deprecations: [],
  };
}

const briefly = ({ rule, bundle }: LintFinding): string => `${rule} ${bundle}`;
const CHAIN = [{ name: '1.0.0' }, { name: '1.1.0', replaces: '1.0.0' }, { name: '1.2.0', replaces: '1.1.0' }];

describe('a package', () => {
  test.each([
    { because: 'each version replaces the one before', content: packageOf(CHAIN) },
    {
      because: 'the head skips all others',
      content: packageOf([{ name: '1.0.0' }, { name: '1.1.0' }, { name: '1.2.0', skips: ['1.0.0', '1.1.0'] }]),
    },
    {
      because: 'a range has all others',
      content: packageOf([
        { name: '1.0.0' },
        { name: '1.1.0' },
        { name: '1.2.0', skips: ['1.1.0'], skipRange: '<1.2.0' },
      ]),
    },
    {
      because: 'the oldest replaces one that is gone',
      content: packageOf([{ name: '1.0.0', replaces: '0.9.0' }, ...CHAIN.slice(1)]),
    },
    {
      because: 'a version that is skipped is left by the skip',
      content: packageOf([
        { name: '1.0.0' },
        { name: '1.1.0', replaces: '1.0.0' },
        { name: '1.2.0', replaces: '1.0.0', skips: ['1.1.0'] },
      ]),
    },
  ])('strands no user: $because', ({ content }) => {
    expect(lintPackage(content)).toEqual([]);
  });

  const CASES = [
    {
      because: 'no version leads on',
      content: packageOf([{ name: '1.0.0' }, ...CHAIN.slice(1, 2), { name: '1.2.0', skips: ['1.0.0'] }]),
      found: ['dead-end 1.1.0'],
    },
    {
      because: 'a way ends before the head',
      content: packageOf([{ name: '0.8.0' }, { name: '0.9.0', replaces: '0.8.0' }, ...CHAIN]),
      found: ['unreachable-head 0.8.0', 'dead-end 0.9.0'],
    },
    {
      because: 'a skip takes the only way',
      content: packageOf([...CHAIN.slice(0, 2), { name: '1.2.0', skips: ['1.1.0'] }]),
      found: ['skipped-way 1.0.0'],
    },
    {
      because: 'a range leaves a version out',
      content: packageOf([
        { name: '1.0.0' },
        { name: '1.1.0' },
        { name: '1.2.0', skips: ['1.1.0'], skipRange: '>=1.0.1 <1.2.0' },
      ]),
      found: ['dead-end 1.0.0'],
    },
    {
      because: 'a version in the middle is gone',
      content: packageOf(CHAIN, { lacking: ['1.1.0'] }),
      found: ['dead-end 1.0.0', 'gone-version 1.2.0'],
    },
    {
      because: 'the head is not the highest',
      content: packageOf([...CHAIN, { name: '1.1.5', replaces: '1.2.0' }]),
      found: ['low-head 1.1.5'],
    },
    {
      because: 'an image has no digest',
      content: packageOf([{ name: '1.0.0' }], { image: ':v1' }),
      found: ['unpinned-image 1.0.0'],
    },
  ];

  test.each(CASES)('is reported with its rule and version: $because', ({ content, found }) => {
    expect(lintPackage(content).map(briefly)).toEqual(found);
  });

  test('a version that is stranded with many others names some of them', () => {
    const others = Array.from({ length: 300 }, (_, at) => ({ name: `0.1.${at}`, skipRange: '<1.0.0' }));
    const stranded = lintPackage(packageOf([...others, ...CHAIN])).filter(({ bundle }) => bundle.startsWith('0.'));
    expect(stranded.map(({ rule }) => rule)).toEqual(others.map(() => 'unreachable-head'));
    expect(Math.max(...stranded.map(({ message }) => message.length))).toBeLessThan(200);
  });

  test('every rule has a case', () => {
    const rules = CASES.flatMap(({ found }) => found.map((text) => text.split(' ')[0]));
    expect(new Set(rules)).toEqual(new Set(Object.keys(LINT_RULES)));
  });
});
