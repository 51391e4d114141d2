import fc from 'fast-check';
import { compare, SemVer } from 'semver';
import { expect, test } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import {
  compareBundleVersions,
  compareVersions,
  parseBundleVersion,
  parseVersion,
  type BundleVersion,
  type SemanticVersion,
} from './version.ts';

test.each([
  { text: '1.2', because: 'three numbers are needed' },
  { text: 'v1.2.3', because: 'a leading v is no part of a version' },
  { text: '01.2.3', because: 'a number has no leading zeros' },
  { text: '1.2.3-01', because: 'neither has a numeric identifier' },
  { text: '1.2.3-', because: 'a pre-release is not empty' },
  { text: '1.2.3-a..b', because: 'neither is an identifier' },
  { text: '1.2.3+', because: 'neither is build metadata' },
  { text: '1.2.3+a+b', because: 'there is one build at most' },
  { text: '١.٢.٣', because: 'digits of other scripts do not count' },
  { text: '18446744073709551616.0.0', because: 'numbers stay below 2^64' },
  { text: `${'9'.repeat(300)}.0.0`, because: 'numbers stay below 2^64' },
  { text: `1.2.3-${'9'.repeat(30)}`, because: 'numbers stay below 2^64 in a pre-release too' },
  { text: ' 1.2.3', because: 'spaces do not count' },
  { text: '', because: 'it is empty' },
  { text: `1.2.3-${'a.'.repeat(600)}a`, because: 'it is too long to be a version' },
])('"$text" is no version: $because', ({ text }) => {
  expect(parseVersion(text).ok).toBe(false);
});

test('versions beyond 2^53 keep their order', () => {
  const versions = [
    '9007199254740992.0.0',
    '9007199254740993.0.0',
    '18446744073709551615.0.0',
    '9007199254740991.0.0',
    '1.0.0-9007199254740993',
    '1.0.0-9007199254740992',
  ];
  expect(
    versions
      .map(version)
      .toSorted(compareVersions)
      .map(({ text }) => text),
  ).toEqual([
    '1.0.0-9007199254740992',
    '1.0.0-9007199254740993',
    '9007199254740991.0.0',
    '9007199254740992.0.0',
    '9007199254740993.0.0',
    '18446744073709551615.0.0',
  ]);
});

test('versions are ordered by Semantic Versioning, as npm orders them', () => {
  const number = fc.oneof(fc.nat({ max: 12 }), fc.constant(Number.MAX_SAFE_INTEGER));
  const identifier = fc.oneof(
    fc.nat({ max: 20 }).map(String),
    fc.constantFrom('a', 'b', 'alpha', '-', 'rc', '0a', '1-'),
  );
  const identifiers = (mark: string): fc.Arbitrary<string> =>
    fc.array(identifier, { maxLength: 3 }).map((parts) => (parts.length === 0 ? '' : `${mark}${parts.join('.')}`));
  const text = fc
    .tuple(number, number, number, identifiers('-'), identifiers('+'))
    .map(([a, b, c, pre, build]) => `${a}.${b}.${c}${pre}${build}`);
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareVersions(version(a), version(b)))).toBe(compare(new SemVer(a), new SemVer(b)));
    }),
    { numRuns: runsOf(2000) },
  );
});

test.each([
  { lower: '1.0.0', higher: '1.0.0+1', because: 'a version without a release comes before any release of it' },
  { lower: '1.0.0+1', higher: '1.0.0+2', because: 'releases count' },
  { lower: '1.0.0+9', higher: '1.0.0+10', because: 'releases are numbers' },
  { lower: '1.0.0+1', higher: '1.0.0+1.1', because: 'a longer release comes after its beginning' },
  { lower: '1.0.0+1', higher: '1.0.0+a', because: 'text comes after numbers' },
  { lower: '1.0.0+5', higher: '1.0.1', because: 'the version counts before the release' },
])('$lower is before $higher: $because', ({ lower, higher }) => {
  expect(compareBundleVersions(bundleVersion(lower), bundleVersion(higher))).toBeLessThan(0);
});

test.each([
  { text: '1.0.0+007', release: undefined, expected: [], because: 'build metadata that is no release is none' },
  { text: '1.0.0+2', release: undefined, expected: [2], because: 'registry+v1 keeps the release in the build' },
  { text: '1.0.0', release: '2.rc', expected: [2, 'rc'], because: 'a release may be given apart' },
  { text: '1.0.0+2', release: '', expected: [], because: 'an empty release says that there is none' },
  { text: '1.0.0', release: '01', expected: undefined, because: 'a release has no leading zeros' },
  { text: '1.0.0', release: 'a'.repeat(21), expected: undefined, because: 'a release has at most 20 characters' },
  { text: '1.0.0+1', release: '2', expected: undefined, because: 'two releases would contradict each other' },
])('release of $text with $release: $because', ({ text, release, expected }) => {
  const parsed = parseBundleVersion(text, release);
  expect(parsed.ok ? parsed.value.release : undefined).toEqual(expected);
});

function version(text: string): SemanticVersion {
  const parsed = parseVersion(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.problem}`);
  return parsed.value;
}

function bundleVersion(text: string): BundleVersion {
  const parsed = parseBundleVersion(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.problem}`);
  return parsed.value;
}
