/**
 * The template that makes a package's channels from versions alone: bundles are listed under Candidate, Fast and
 * Stable, and every list becomes channels by major or minor version, with an upgrade graph in which every version
 * leads to the highest patch of the next minor.
 */
import { compareText } from '../../api/compare-text.ts';
import { field, foldCase, listField, textField } from '../fields.ts';
import { isRecord, type Fields } from '../../api/untyped.ts';
import type { BundleBlob } from '../blob.ts';
import type { VersionLike, VersionRules } from '../versions.ts';
import { bundleAt, invalidTemplate, type BundlesByImage, type CatalogDocument } from './template.ts';

export const SEMVER_SCHEMA = 'olm.semver';

/** From the least to the most stable. */
const STREAMS = ['candidate', 'fast', 'stable'] as const;
type Stream = (typeof STREAMS)[number];
type Scope = 'major' | 'minor';

interface SemverTemplate {
  readonly scopes: readonly Scope[];
  readonly preferred: Scope;
  readonly images: ReadonlyMap<Stream, readonly string[]>;
}

/** The images whose bundles the template needs, each once. Throws as {@link expandSemver}. */
export function semverImages(template: Fields): readonly string[] {
  return [...new Set([...parseTemplate(template).images.values()].flat())];
}

/**
 * The catalog that the template describes: the package, its channels and its bundles.
 *
 * Throws ReasonedError `CatalogInvalid` if the template is malformed, a bundle belongs to another package or has
 * no proper version, or versions differ in build metadata only.
 * @see https://olm.operatorframework.io/docs/reference/catalog-templates/#semver-template
 */
export function expandSemver(template: Fields, bundles: BundlesByImage, rules: VersionRules): CatalogDocument[] {
  const { scopes, preferred, images } = parseTemplate(template);
  const used = [...new Set([...images.values()].flat())].map((image) => bundleAt(image, bundles));
  const packageName = packageOf(used);
  const channels = STREAMS.flatMap((stream) => {
    const versions = versionsOf(
      (images.get(stream) ?? []).map((image) => bundleAt(image, bundles)),
      rules,
    );
    return scopes.flatMap((scope) => buildChannels({ stream, scope, versions }));
  });
  return [
    { schema: 'olm.package', name: packageName, defaultChannel: pickDefault(channels, preferred, rules) },
    ...channels.map(({ name, entries }) => ({ schema: 'olm.channel', name, package: packageName, entries })),
    ...used,
  ];
}

function parseTemplate(template: Fields): SemverTemplate {
  if (textField(template, 'schema') !== SEMVER_SCHEMA) throw invalidTemplate(`its schema is not ${SEMVER_SCHEMA}`);
  refuseUnknown(template, FIELDS, 'it');
  const major = field(template, 'generateMajorChannels') === true;
  const minor = field(template, 'generateMinorChannels') === true || !major;
  const scopes: Scope[] = [...(major ? ['major' as const] : []), ...(minor ? ['minor' as const] : [])];
  const images = new Map(STREAMS.map((stream) => [stream, imagesOf(template, stream)]));
  if ([...images.values()].every((list) => list.length === 0)) throw invalidTemplate('it names no bundles');
  return { scopes, preferred: preferredScope(template, scopes), images };
}

/** A field that is misspelt would be a stream or a setting that is silently missing. */
function refuseUnknown(object: Fields, known: readonly string[], whose: string): void {
  const unknown = Object.keys(object).filter((key) => !known.some((name) => foldCase(name) === foldCase(key)));
  if (unknown.length > 0) throw invalidTemplate(`${whose} has the unknown field ${unknown.join(', ')}`);
}

const FIELDS = ['schema', 'generateMajorChannels', 'generateMinorChannels', 'defaultChannelTypePreference', ...STREAMS];

function preferredScope(template: Fields, scopes: readonly Scope[]): Scope {
  const preference = textField(template, 'defaultChannelTypePreference');
  if (preference === undefined || preference === '') return scopes.at(-1)!;
  if (preference !== 'major' && preference !== 'minor') {
    throw invalidTemplate(`defaultChannelTypePreference is "${preference}"`, 'Write major or minor');
  }
  if (scopes.includes(preference)) return preference;
  throw invalidTemplate(`the default channel is to be a ${preference} one, and none of those is generated`);
}

function imagesOf(template: Fields, stream: Stream): string[] {
  const list = field(template, stream);
  if (!isRecord(list)) return [];
  refuseUnknown(list, ['bundles'], stream);
  const bundles = listField(list, 'bundles');
  if (bundles.length > MAX_BUNDLES) throw invalidTemplate(`${stream} has more than ${MAX_BUNDLES} bundles`);
  return bundles.map((bundle) => {
    if (isRecord(bundle)) refuseUnknown(bundle, ['image'], `a bundle of ${stream}`);
    const image = isRecord(bundle) ? (textField(bundle, 'image') ?? '') : '';
    if (image === '') throw invalidTemplate(`a bundle of ${stream} has no image`);
    return image;
  });
}

/** Eight times as many as the largest published package has; the number of edges grows with the square. */
const MAX_BUNDLES = 2000;

function packageOf(bundles: readonly BundleBlob[]): string {
  const first = bundles[0]!;
  for (const bundle of bundles) {
    if (bundle.package === first.package) continue;
    throw invalidTemplate(`${bundle.name} is of package ${bundle.package}, ${first.name} of ${first.package}`);
  }
  return first.package;
}

/** A bundle of one stream with its version, in ascending order. */
interface Versioned {
  readonly name: string;
  readonly version: VersionLike;
}

function versionsOf(bundles: readonly BundleBlob[], rules: VersionRules): Versioned[] {
  const names = new Set<string>();
  const versions = bundles.map(({ name, properties }) => {
    if (names.has(name)) throw invalidTemplate(`the bundle ${name} is listed more than once`);
    names.add(name);
    return { name, version: versionOf(name, properties, rules) };
  });
  versions.sort((a, b) => rules.compareVersions(a.version, b.version));
  for (const [index, { name, version }] of versions.entries()) {
    const next = versions[index + 1];
    if (next === undefined || rules.compareVersions(version, next.version) !== 0) continue;
    throw invalidTemplate(`${name} and ${next.name} cannot be ordered: their versions differ in build metadata only`);
  }
  return versions;
}

function versionOf(name: string, properties: BundleBlob['properties'], rules: VersionRules): VersionLike {
  const identities = properties.filter(({ type }) => type === 'olm.package');
  const value = identities[0]?.value;
  if (identities.length !== 1 || !isRecord(value)) {
    throw invalidTemplate(`${name} has ${identities.length} properties olm.package; it needs one`);
  }
  const read = rules.parseVersion(textField(value, 'version') ?? '');
  if (!read.ok) throw invalidTemplate(`the version of ${name} is invalid: ${read.problem}`);
  return read.value;
}

/** A channel as it is built up: its entries in ascending order of version. */
interface Draft {
  readonly name: string;
  readonly stream: Stream;
  readonly scope: Scope;
  readonly lowest: VersionLike;
  readonly entries: Fields[];
}

interface VersionRun {
  readonly stream: Stream;
  readonly scope: Scope;
  readonly versions: readonly Versioned[];
}

/**
 * The highest patch of every minor gets the edges: it replaces the highest patch of the minor before it, and skips
 * every other version below it; all within one major version.
 */
function buildChannels({ stream, scope, versions }: VersionRun): Draft[] {
  const channels = new Map<string, Draft>();
  let passed: string[] = [];
  let previousMinor: string | undefined;
  for (const [index, { name, version }] of versions.entries()) {
    const before = versions[index - 1];
    if (before !== undefined && before.version.major !== version.major) {
      passed = [];
      previousMinor = undefined;
    } else if (before !== undefined) {
      if (before.version.minor !== version.minor) previousMinor = before.name;
      passed.push(before.name);
    }
    const next = versions[index + 1]?.version;
    const isHighestPatch = next === undefined || next.major !== version.major || next.minor !== version.minor;
    const skips = isHighestPatch ? passed.filter((skipped) => skipped !== previousMinor).sort(compareText) : [];
    const replaces = isHighestPatch ? previousMinor : undefined;
    const channelName = nameOf(stream, scope, version);
    const channel = channels.get(channelName) ?? { name: channelName, stream, scope, lowest: version, entries: [] };
    channel.entries.push({ name, ...(replaces !== undefined && { replaces }), ...(skips.length > 0 && { skips }) });
    channels.set(channelName, channel);
  }
  return [...channels.values()];
}

function nameOf(stream: Stream, scope: Scope, { major, minor }: VersionLike): string {
  return scope === 'major' ? `${stream}-v${major}` : `${stream}-v${major}.${minor}`;
}

/**
 * The channel of the most stable stream that begins with the highest version; of several, one of the preferred
 * scope. So a minor channel wins over a major one that begins earlier, as in the reference.
 */
function pickDefault(channels: readonly Draft[], preferred: Scope, rules: VersionRules): string {
  const ranked = [...channels].sort(
    (a, b) =>
      STREAMS.indexOf(a.stream) - STREAMS.indexOf(b.stream) ||
      rules.compareVersions(a.lowest, b.lowest) ||
      Number(a.scope === preferred) - Number(b.scope === preferred),
  );
  return ranked.at(-1)?.name ?? '';
}
