import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import { coverage, IntervalIndex, rankOf, rankVersions } from './coverage.ts';
import { parseBlangRange, type BlangRange } from './ranges/blang.ts';
import { parseVersion, type SemanticVersion } from './version.ts';

function version(text: string): SemanticVersion {
  const parsed = parseVersion(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
}

function range(text: string): BlangRange {
  const parsed = parseBlangRange(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
}

/** Ranks 0 to 6. */
const TEXTS = ['1.0.0-rc.1', '1.0.0', '1.1.0', '1.2.0-a', '1.2.0', '2.0.0', '3.0.0'];
const RANKING = rankVersions(TEXTS.map(version));

describe('a ranking', () => {
  test('of versions is ascending, in whatever order they are given', () => {
    expect(rankVersions(TEXTS.map(version).reverse()).map(({ text }) => text)).toEqual(TEXTS);
  });

  test('of versions has one rank for versions of equal precedence', () => {
    expect(rankVersions(['1.0.0+b', '1.0.0+a', '1.0.0'].map(version)).length).toBe(1);
  });

  test.each([
    { text: '1.1.0', rank: 2, because: 'it is there' },
    { text: '1.1.0+build', rank: 2, because: 'build metadata does not count' },
    { text: '1.1.5', rank: 3, because: 'the next one up has that rank' },
    { text: '0.0.1', rank: 0, because: 'all are above' },
    { text: '9.0.0', rank: 7, because: 'none is' },
  ])('$text has rank $rank: $because', ({ text, rank }) => {
    expect(rankOf(RANKING, version(text))).toBe(rank);
  });
});

describe('the intervals that a range covers', () => {
  test.each<{
    readonly because: string;
    readonly text: string;
    readonly highest?: number;
    readonly covered: readonly (readonly [number, number])[];
  }>([
    { because: 'both ends count where they are meant to', text: '>=1.0.0 <=2.0.0', covered: [[1, 5]] },
    { because: 'neither counts where it is not', text: '>1.0.0 <2.0.0', covered: [[2, 4]] },
    { because: 'ends need not exist', text: '>1.0.5 <2.5.0', covered: [[2, 5]] },
    { because: 'a version covers itself', text: '1.1.0', covered: [[2, 2]] },
    { because: 'a version that is not there covers nothing', text: '1.1.1', covered: [] },
    { because: 'pre-releases are versions like any other', text: '<1.0.0', covered: [[0, 0]] },
    {
      because: 'what is ruled out makes a hole',
      text: '!=1.2.0',
      covered: [
        [0, 3],
        [5, 6],
      ],
    },
    { because: 'holes at the ends make it shorter', text: '>=1.0.0 <=1.2.0 !=1.0.0 !=1.2.0', covered: [[2, 3]] },
    { because: 'a hole outside is none', text: '>=2.0.0 !=1.0.0', covered: [[5, 6]] },
    { because: 'a hole that is not there is none', text: '!=1.5.0', covered: [[0, 6]] },
    {
      because: 'two holes side by side leave nothing between',
      text: '!=1.0.0 !=1.1.0',
      covered: [
        [0, 0],
        [3, 6],
      ],
    },
    { because: 'a contradiction covers nothing', text: '>2.0.0 <1.0.0', covered: [] },
    {
      because: 'alternatives come one after the other',
      text: '<1.0.0 || >=3.0.0',
      covered: [
        [0, 0],
        [6, 6],
      ],
    },
    { because: 'nothing above the highest is covered', text: '>=1.0.0', highest: 3, covered: [[1, 3]] },
    { because: 'nothing is left where all is above it', text: '>=2.0.0', highest: 3, covered: [] },
  ])('$text: $because', ({ text, highest = RANKING.length - 1, covered }) => {
    expect(coverage(range(text), RANKING, highest).map(({ first, last }) => [first, last])).toEqual(covered);
  });

  test('contain exactly the versions that the range includes', () => {
    const number = fc.integer({ min: 0, max: 3 });
    const anyVersion = fc
      .tuple(number, number, fc.constantFrom('', '-a', '-b.1'))
      .map(([major, minor, pre]) => `${major}.${minor}.0${pre}`);
    const comparator = fc
      .tuple(fc.constantFrom('=', '!=', '>', '>=', '<', '<='), anyVersion)
      .map(([operator, text]) => `${operator}${text}`);
    const anyRange = fc
      .array(
        fc.array(comparator, { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
        {
          minLength: 1,
          maxLength: 3,
        },
      )
      .map((groups) => groups.join(' || '));
    fc.assert(
      fc.property(fc.array(anyVersion, { maxLength: 12 }), anyRange, (texts, text) => {
        const ranking = rankVersions(texts.map(version));
        const intervals = coverage(range(text), ranking, ranking.length - 1);
        const covered = ranking.filter((_, rank) => intervals.some(({ first, last }) => first <= rank && rank <= last));
        expect(covered).toEqual(ranking.filter((one) => range(text).includes(one)));
      }),
      { numRuns: runsOf(2000) },
    );
  });
});

describe('an index of intervals', () => {
  test('offers the items whose interval contains a rank, and keeps those that the caller does not take', () => {
    const index = new IntervalIndex<string>(10);
    index.add({ first: 0, last: 9 }, 'all');
    index.add({ first: 3, last: 4 }, 'middle');
    index.add({ first: 9, last: 9 }, 'end');
    const takeAt = (rank: number, takes: boolean): readonly string[] => {
      const seen: string[] = [];
      index.takeAt(rank, (item) => seen.push(item) > 0 && takes);
      return seen.sort();
    };
    expect(takeAt(4, false)).toEqual(['all', 'middle']);
    expect(takeAt(9, false)).toEqual(['all', 'end']);
    expect(takeAt(4, true)).toEqual(['all', 'middle']);
    expect(takeAt(3, false).includes('end')).toBe(false);
    expect(takeAt(4, false)).toEqual([]);
  });

  test('offers every item whose interval contains a rank, and no other, wherever intervals lie', () => {
    const anyIntervals = fc.integer({ min: 1, max: 40 }).chain((ranks) =>
      fc.record({
        ranks: fc.constant(ranks),
        intervals: fc.array(
          fc
            .tuple(fc.nat({ max: ranks - 1 }), fc.nat({ max: ranks - 1 }))
            .map(([a, b]) => ({ first: Math.min(a, b), last: Math.max(a, b) })),
          { maxLength: 20 },
        ),
      }),
    );
    fc.assert(
      fc.property(anyIntervals, ({ ranks, intervals }) => {
        const index = new IntervalIndex<number>(ranks);
        for (const [item, interval] of intervals.entries()) index.add(interval, item);
        for (let rank = 0; rank < ranks; rank++) {
          const offered: number[] = [];
          index.takeAt(rank, (item) => offered.push(item) < 0);
          const wanted = [...intervals.keys()].filter((item) => {
            const { first = 1, last = 0 } = intervals[item] ?? {};
            return first <= rank && rank <= last;
          });
          expect(offered.sort((a, b) => a - b)).toEqual(wanted);
        }
      }),
      { numRuns: runsOf(500) },
    );
  });
});
