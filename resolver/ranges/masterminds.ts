/**
 * The grammar of `spec.version`, exactly as the Go library Masterminds/semver v3.5 reads it, quirks and limits
 * included: OLM v1 documents that grammar to the same people. This file parses the text; masterminds-rules.ts applies
 * each operator.
 */
import { parseIdentifiers, type Identifier, type Natural, type Parsed } from '../version.ts';
import { admits, type MastermindsConstraint, type MastermindsOperator } from './masterminds-rules.ts';
import type { VersionRange } from './range.ts';
import { patternAt, rewriteHyphens, scan, skipSpaces, type Pattern } from './masterminds-scan.ts';

const MAX_BYTES = 512;
const MAX_ALTERNATIVES = 32;
const MAX_VERSION_BYTES = 256;
const MAX_NATURAL = 2n ** 64n - 1n;

/** Longest first, so that `>=` is not read as `>`. */
const OPERATORS: readonly MastermindsOperator[] = ['!=', '>=', '=>', '<=', '=<', '~>', '=', '>', '<', '~', '^'];

/**
 * Parses a range such as `>=1.2, <2 || ~3.1` or `1.2 - 1.4.5`: a space or a comma means and, `||` means or; versions
 * may be partial and have wildcards `x X *`. A pre-release is inside only if one of the joined constraints names a
 * pre-release itself.
 * @see https://pkg.go.dev/github.com/Masterminds/semver/v3#NewConstraint
 */
export function parseMastermindsRange(text: string): Parsed<VersionRange> {
  if (text.length > MAX_BYTES || Buffer.byteLength(text) > MAX_BYTES)
    return bad(`it is longer than ${MAX_BYTES} bytes`);
  const segments = rewriteHyphens(text).split('||');
  if (segments.length > MAX_ALTERNATIVES) return bad(`it has more than ${MAX_ALTERNATIVES} alternatives`);
  const alternatives: (readonly MastermindsConstraint[])[] = [];
  for (const segment of segments) {
    const constraints = parseSegment(segment);
    if (typeof constraints === 'string') return bad(constraints);
    alternatives.push(constraints);
  }
  return {
    ok: true,
    value: { text, includes: (version) => alternatives.some((constraints) => admits(constraints, version)) },
  };
}

/** Constraints one after another, each but the first after white space or a comma. */
function parseSegment(segment: string): readonly MastermindsConstraint[] | string {
  const constraints: MastermindsConstraint[] = [];
  const scanned = scan(segment);
  let at = skipSpaces(segment, 0);
  for (;;) {
    const operator = OPERATORS.find((candidate) => segment.startsWith(candidate, at)) ?? '';
    const pattern = patternAt(scanned, skipSpaces(segment, at + operator.length));
    if (pattern === undefined) return `"${segment}" is no constraint`;
    const constraint = parseConstraint(operator, pattern);
    if (constraint === undefined) return `"${pattern.text}" is no version`;
    constraints.push(constraint);
    const gap = skipSpaces(segment, pattern.end);
    if (gap === segment.length) return constraints;
    const separated = segment.charAt(gap) === ',' || gap > pattern.end;
    if (!separated) return `"${segment}" is no constraint`;
    at = segment.charAt(gap) === ',' ? skipSpaces(segment, gap + 1) : gap;
  }
}

/** All numbers after the first wildcard or missing number count as zero; a build is dropped with them. */
function parseConstraint(
  operator: MastermindsOperator,
  { text, numbers, prerelease }: Pattern,
): MastermindsConstraint | undefined {
  const wild = numbers.findIndex(isWildcard);
  const known = numbers.slice(0, wild < 0 ? 3 : wild).map((number) => parseLooseNatural(number ?? ''));
  if (known.includes(undefined) || text.length > MAX_VERSION_BYTES) return undefined;
  const identifiers = prerelease === undefined ? [] : parsePrerelease(prerelease);
  if (identifiers === undefined) return undefined;
  const [major = 0, minor = 0, patch = 0] = known;
  return { operator, major, minor, patch, prerelease: identifiers, wild: wild < 0 ? undefined : WILD[wild] };
}

const WILD = ['major', 'minor', 'patch'] as const;

function isWildcard(number: string | undefined): boolean {
  return number === undefined || number === 'x' || number === 'X' || number === '*';
}

/** Leading zeros are forgiven here, unlike in versions. */
function parseLooseNatural(digits: string): Natural | undefined {
  if (!/^[0-9]+$/.test(digits)) return undefined;
  const value = BigInt(digits);
  if (value > MAX_NATURAL) return undefined;
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/** Digits that reach 2^64 are compared as text; leading zeros are refused. */
function parsePrerelease(text: string): readonly Identifier[] | undefined {
  const identifiers = text.split('.').map((part) => {
    if (/^0[0-9]+$/.test(part)) return undefined;
    return parseIdentifiers(part)?.[0] ?? part;
  });
  return identifiers.every((identifier) => identifier !== undefined) ? identifiers : undefined;
}

function bad(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}
