/**
 * Versions of bundles: Semantic Versioning 2 with 64-bit numbers, and the release that distinguishes builds of one
 * version. The resolver, the ranges and the checks of catalogs compare versions here and nowhere else. Nothing here
 * knows ranges or graphs.
 */

/** A non-negative integer below 2^64: a number if that is exact, else a bigint, so that `===` and `<` hold. */
export type Natural = number | bigint;

/** `1.2.3-rc.1+build.5`, taken apart. */
export interface SemanticVersion {
  readonly text: string;
  readonly major: Natural;
  readonly minor: Natural;
  readonly patch: Natural;
  readonly prerelease: readonly Identifier[];
  readonly build: readonly string[];
}

/** One dot-separated part of a pre-release or a release: numeric parts are numbers, others text. */
export type Identifier = Natural | string;

/** A version with its release: `1.0.0+2` of a registry+v1 bundle is version 1.0.0, release 2. */
export interface BundleVersion {
  readonly version: SemanticVersion;
  readonly release: readonly Identifier[];
}

/** The result of a parser: the value, or the problem with the text. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** Longest text that is parsed; the longest published version is below 100 characters. */
const MAX_VERSION_LENGTH = 1024;

const MAX_RELEASE_LENGTH = 20;
const MAX_NATURAL = 2n ** 64n - 1n;
const NUMERIC = /^(?:0|[1-9][0-9]*)$/;
const IDENTIFIER = /^[0-9A-Za-z-]+$/;

/**
 * Parses a full version: three numbers without leading zeros, no leading `v`, pre-release and build of ASCII
 * letters, digits and hyphens. Numbers from 2^64 on are refused, as the reference does.
 * @see https://semver.org/#semantic-versioning-specification-semver
 */
export function parseVersion(text: string): Parsed<SemanticVersion> {
  if (text.length > MAX_VERSION_LENGTH) return bad(`it is longer than ${MAX_VERSION_LENGTH} characters`);
  const [withoutBuild, buildText] = cut(text, '+');
  const firstDot = withoutBuild.indexOf('.');
  const secondDot = withoutBuild.indexOf('.', firstDot + 1);
  if (firstDot < 0 || secondDot < 0) return bad('it is not of the form MAJOR.MINOR.PATCH');
  const [patchText, prereleaseText] = cut(withoutBuild.slice(secondDot + 1), '-');
  const numbers = [withoutBuild.slice(0, firstDot), withoutBuild.slice(firstDot + 1, secondDot), patchText];
  const [major, minor, patch] = numbers.map(parseNatural);
  if (major === undefined || minor === undefined || patch === undefined)
    return bad('its three numbers must be decimal, below 2^64 and without leading zeros');
  const prerelease = prereleaseText === undefined ? [] : parseIdentifiers(prereleaseText);
  if (prerelease === undefined) return bad(`its pre-release "${prereleaseText}" is malformed`);
  const build = buildText === undefined ? [] : buildText.split('.');
  if (!build.every((part) => IDENTIFIER.test(part))) return bad(`its build metadata "${buildText}" is malformed`);
  return { ok: true, value: { text, major, minor, patch, prerelease, build } };
}

/**
 * The version and release of a bundle, from the `version` and `release` of its property `olm.package`.
 * Without an explicit release, build metadata that reads as a release is one; an empty one says that there is none.
 */
export function parseBundleVersion(text: string, release?: string): Parsed<BundleVersion> {
  const parsed = parseVersion(text);
  if (!parsed.ok) return parsed;
  const version = parsed.value;
  if (release === undefined)
    return { ok: true, value: { version, release: parseIdentifiers(version.build.join('.')) ?? [] } };
  if (release === '') return { ok: true, value: { version, release: [] } };
  if (version.build.length > 0) return bad('it has both build metadata and a release');
  const identifiers = release.length > MAX_RELEASE_LENGTH ? undefined : parseIdentifiers(release);
  if (identifiers === undefined) return bad(`its release "${release.slice(0, 64)}" is malformed`);
  return { ok: true, value: { version, release: identifiers } };
}

/** The parts of a version that count when versions are ordered. */
type Precedence = Pick<SemanticVersion, 'major' | 'minor' | 'patch' | 'prerelease'>;

/**
 * Orders versions by precedence: negative, zero or positive. Build metadata does not count.
 * @see https://semver.org/#spec-item-11
 */
export function compareVersions(a: Precedence, b: Precedence): number {
  return (
    compareNaturals(a.major, b.major) ||
    compareNaturals(a.minor, b.minor) ||
    compareNaturals(a.patch, b.patch) ||
    comparePrereleases(a.prerelease, b.prerelease)
  );
}

/** Orders by version, then by release; no release comes before any release. */
export function compareBundleVersions(a: BundleVersion, b: BundleVersion): number {
  return compareVersions(a.version, b.version) || compareIdentifiers(a.release, b.release);
}

/** Whether a version is higher than another; not if one of them is malformed. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [parseBundleVersion(version), parseBundleVersion(than)];
  return a.ok && b.ok && compareBundleVersions(a.value, b.value) > 0;
}

/** A version is before all others of its numbers when it has a pre-release and they have none. */
export function comparePrereleases(a: readonly Identifier[], b: readonly Identifier[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  return compareIdentifiers(a, b);
}

/** Part by part; numbers before text; a longer list after its own beginning. */
function compareIdentifiers(a: readonly Identifier[], b: readonly Identifier[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) return 1;
    const order = compareIdentifier(left, right);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Orders naturals of either representation. */
export function compareNaturals(a: Natural, b: Natural): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Parses decimal digits; undefined if the text has others, has leading zeros or reaches 2^64. */
export function parseNatural(text: string): Natural | undefined {
  if (!NUMERIC.test(text)) return undefined;
  if (text.length < 16) return Number(text);
  if (text.length > 20) return undefined;
  const value = BigInt(text);
  if (value > MAX_NATURAL) return undefined;
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/** Parses dot-separated identifiers; undefined if one is malformed, or the text is empty. */
export function parseIdentifiers(text: string): readonly Identifier[] | undefined {
  if (text === '') return undefined;
  const identifiers: Identifier[] = [];
  for (const part of text.split('.')) {
    const identifier = parseIdentifier(part);
    if (identifier === undefined) return undefined;
    identifiers.push(identifier);
  }
  return identifiers;
}

function parseIdentifier(part: string): Identifier | undefined {
  if (!IDENTIFIER.test(part)) return undefined;
  return /^[0-9]+$/.test(part) ? parseNatural(part) : part;
}

function compareIdentifier(a: Identifier, b: Identifier): number {
  const textual = Number(typeof a === 'string') - Number(typeof b === 'string');
  if (textual !== 0) return textual;
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Cuts at the first separator; the second half is absent if there is no separator. */
function cut(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function bad(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}
