/**
 * Makes a catalog out of repositories of bundles: every tag that is a version becomes a bundle, and the order of the
 * versions the upgrade graph. The result is written as the documents of a file-based catalog, so that it is indexed and
 * served like any other. This folder computes; controllers/catalog does the I/O, in this order:
 *
 * 1. list the tags of each repository; orderTags selects those that are versions, and those that are offered;
 * 2. resolve each of those to a digest, because tags may be moved; {@link repositoriesDigest} names the content. If that
 *    is in service already, nothing is left to do; every replica computes the same name and makes the same content;
 * 3. pull the bundles whose images are not among the {@link knownBundles} of the index in service, and make each an
 *    entry (buildBundleBlob, with the excerpt). An image that is no bundle is left out and reported by name; if a
 *    registry fails, the attempt ends, and the last good content stays;
 * 4. {@link buildRepositoryCatalog} gives the documents, {@link fileOf} the file for the store.
 */
import { createHash } from 'node:crypto';
import { formatJson, parseJson } from '../../api/json.ts';
import type { BundleBlob } from '../blob.ts';
import { field, textField } from '../fields.ts';
import { isRecord } from '../../api/untyped.ts';
import type { CatalogIndex } from '../index/open.ts';
import type { CatalogDocument } from '../templates/template.ts';
import type { CatalogFile } from '../tree.ts';
import type { BundleVersionLike, VersionRules } from '../versions.ts';
import { roomForPackage, type PackageRoom } from './package-room.ts';
import type { IgnoredTag, VersionTag } from './tags.ts';

/** A version whose bundle has been read. */
export interface DescribedVersion extends VersionTag {
  /** Its entry, with the image by digest. */
  readonly bundle: BundleBlob;
}

export interface DescribedRepository {
  /** Without tag: `registry.example/team/gadget`. */
  readonly repository: string;
  /** Name of the package that it is to offer; absent, that of most of its bundles. */
  readonly package?: string;
  readonly versions: readonly DescribedVersion[];
}

export interface RepositoryCatalog {
  readonly documents: readonly CatalogDocument[];
  readonly ignored: readonly (IgnoredTag & { readonly repository: string })[];
  readonly disputes: readonly Dispute[];
}

/** A package that several repositories claim with the same right. */
export interface Dispute {
  readonly package: string;
  /** The repository that offers it. */
  readonly offeredBy: string;
  readonly others: readonly string[];
}

/** Channel of the versions that are no pre-releases; the default channel, if it has any. */
export const STABLE_CHANNEL = 'stable';
/** Channel of all versions, there only if some are pre-releases. */
const CANDIDATE_CHANNEL = 'candidate';

/**
 * The catalog of these repositories, in their order. From every version of a channel one may upgrade to every
 * higher one: each entry replaces the one before it and skips all that are lower. A package is offered by one repository.
 *
 * @param servedFrom The repository from which the content in service has a package.
 */
export function buildRepositoryCatalog(
  repositories: readonly DescribedRepository[],
  rules: VersionRules,
  servedFrom: (packageName: string) => string | undefined = () => undefined,
): RepositoryCatalog {
  const selected = repositories.map((source) => ({ ...selectVersions(source, rules), source }));
  const claims = Map.groupBy(
    selected.filter(({ offered }) => offered.length > 0),
    ({ name }) => name,
  );
  const verdicts = [...claims].map(([name, claimants]) =>
    judgeClaims(
      name,
      claimants.map(({ source }) => source),
      servedFrom(name),
    ),
  );
  const owners = new Map(verdicts.map(({ package: name, offeredBy }) => [name, offeredBy]));
  const documents: CatalogDocument[] = [];
  const ignored: (IgnoredTag & { repository: string })[] = [];
  for (const { name, offered, ignored: refused, source } of selected) {
    const { repository } = source;
    ignored.push(...refused.map(({ tag, because }) => ({ repository, tag, because })));
    const owner = owners.get(name);
    const because = `the package ${name} is offered by ${owner} already`;
    if (owner === repository) documents.push(...packageDocuments(name, offered));
    else ignored.push(...offered.map(({ tag }) => ({ repository, tag, because })));
  }
  return { documents, ignored, disputes: verdicts.filter(({ others }) => others.length > 0) };
}

/**
 * Which repository offers a package: one for which the spec names the package; else the one that offers it already, so that
 * no user who may push to another one takes it away; else the first. A repository that the spec prefers is not disputed.
 */
function judgeClaims(name: string, claimants: readonly DescribedRepository[], served: string | undefined): Dispute {
  const named = claimants.filter((one) => one.package !== undefined);
  const equals = (named.length > 0 ? named : claimants).map(({ repository }) => repository);
  const offeredBy = named.length === 0 && equals.includes(served ?? '') ? (served as string) : equals[0]!;
  return { package: name, offeredBy, others: equals.filter((repository) => repository !== offeredBy) };
}

/** The documents as one file of a catalog. */
export function fileOf(documents: readonly CatalogDocument[]): CatalogFile {
  return {
    path: 'catalog.json',
    content: (function* lines() {
      for (const document of documents) yield Buffer.from(`${formatJson(document)}\n`);
    })(),
  };
}

/** An image behind a tag. */
export interface TaggedImage {
  readonly repository: string;
  /** The package that the repository must offer, if the spec names one. */
  readonly package?: string;
  readonly tag: string;
  readonly digest: string;
}

/** Names the content of repositories, in their order: equal tags with equal images, in any order, equal digest. */
export function repositoriesDigest(images: readonly TaggedImage[]): string {
  const repositories = new Map<string, string[]>();
  for (const { repository, package: name, tag, digest } of images) {
    const key = JSON.stringify([repository, name]);
    const tags = repositories.get(key) ?? [];
    tags.push(JSON.stringify([tag, digest]));
    repositories.set(key, tags);
  }
  const lines = [...repositories].map(([key, tags]) => [key, ...tags.sort()].join('\n'));
  return `sha256:${createHash('sha256').update(lines.join('\n')).digest('hex')}`;
}

/**
 * The entries of an index by image, as a new build from the same images would make them: without those whose version
 * may come from a tag, because the tag may be another one now.
 */
export function knownBundles(index: Pick<CatalogIndex, 'blobs'>): ReadonlyMap<string, BundleBlob> {
  const known = new Map<string, BundleBlob>();
  for (const line of index.blobs({ schema: 'olm.bundle' })) {
    const bundle = parseJson(Buffer.from(line).toString('utf8')) as BundleBlob;
    if (!ownVersion(bundle).includes('+')) known.set(bundle.image, bundle);
  }
  return known;
}

interface VersionSelection {
  readonly name: string;
  /** In ascending order. */
  readonly offered: readonly DescribedVersion[];
  readonly ignored: readonly IgnoredTag[];
}

/**
 * Leaves out bundles of other packages, those whose own version is not the tag's, those of a name seen before, and those for which
 * the newer ones leave no room.
 */
function selectVersions({ package: wanted, versions }: DescribedRepository, rules: VersionRules): VersionSelection {
  const newestFirst = versions.toSorted((a, b) => rules.compareBundleVersions(b.version, a.version));
  const name = wanted ?? commonPackage(newestFirst) ?? '';
  const offered: DescribedVersion[] = [];
  const ignored: IgnoredTag[] = [];
  const tags = new Map<string, string>();
  const room = roomForPackage();
  for (const candidate of newestFirst) {
    const { tag, bundle } = candidate;
    const because =
      refusal(candidate, name, rules) ?? sameName(bundle.name, tags.get(bundle.name)) ?? lackOfRoom(candidate, room);
    if (because === undefined) {
      tags.set(bundle.name, tag);
      offered.unshift(candidate);
    } else ignored.push({ tag, because });
  }
  return { name, offered, ignored };
}

/**
 * The package of most versions; of several the one with the oldest version. One tag that was pushed by mistake, or by another
 * person, takes no package away, whatever its version is; and every replica finds the same from the same tags.
 */
function commonPackage(newestFirst: readonly DescribedVersion[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { bundle } of newestFirst.toReversed()) counts.set(bundle.package, (counts.get(bundle.package) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return [...counts].find(([, count]) => count === most)?.[0];
}

function refusal({ bundle, version }: DescribedVersion, name: string, rules: VersionRules): string | undefined {
  if (bundle.package !== name) return `its bundle is of the package ${bundle.package}, not of ${name}`;
  if (lengthOf(bundle) > MAX_BUNDLE_LENGTH) return `its bundle states more than ${MAX_BUNDLE_LENGTH} characters`;
  const own = rules.parseVersion(ownVersion(bundle));
  if (!own.ok) return `the version of its bundle is invalid: ${own.problem}`;
  if (rules.compareVersions(own.value, version.version) === 0) return undefined;
  return `its bundle says that it is version ${own.value.text}`;
}

/** Ten times as much as published bundles state; all entries of a catalog are in memory at once. */
const MAX_BUNDLE_LENGTH = 1 << 21;

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.entries(value).reduce((sum, [key, child]) => sum + key.length + lengthOf(child), 2);
}

function ownVersion({ properties }: BundleBlob): string {
  const value = properties.find(({ type }) => type === 'olm.package')?.value;
  return isRecord(value) ? (textField(value, 'version') ?? '') : '';
}

function sameName(name: string, other: string | undefined): string | undefined {
  return other === undefined ? undefined : `its bundle is named ${name}, as that of the tag ${other} is`;
}

function lackOfRoom({ bundle, version }: DescribedVersion, room: PackageRoom): string | undefined {
  if (room.take(identified(bundle, version), version.version.text)) return undefined;
  return 'newer versions of its package take so much memory that there is no room for its bundle';
}

function packageDocuments(name: string, offered: readonly DescribedVersion[]): CatalogDocument[] {
  const releases = offered.filter(({ version }) => version.version.prerelease.length === 0);
  const channels = [
    ...(releases.length > 0 ? [channelByVersion(STABLE_CHANNEL, name, releases)] : []),
    ...(releases.length < offered.length ? [channelByVersion(CANDIDATE_CHANNEL, name, offered)] : []),
  ];
  const description = displayedDescription(offered.at(-1)!.bundle);
  return [
    {
      schema: 'olm.package',
      name,
      defaultChannel: releases.length > 0 ? STABLE_CHANNEL : CANDIDATE_CHANNEL,
      ...(description !== undefined && { description }),
    },
    ...channels,
    ...offered.map(({ bundle, version }) => identified(bundle, version)),
  ];
}

/** A channel of versions in ascending order, from each of which one may upgrade to every higher one. */
export function channelByVersion(
  name: string,
  packageName: string,
  versions: readonly DescribedVersion[],
): CatalogDocument {
  const entries = versions.map(({ bundle, version }, index) => {
    const previous = versions[index - 1]?.bundle.name;
    const skipRange = `<${withoutBuild(version)}`;
    return previous === undefined
      ? { name: bundle.name, skipRange }
      : { name: bundle.name, replaces: previous, skipRange };
  });
  return { schema: 'olm.channel', name, package: packageName, entries };
}

function withoutBuild({ version }: BundleVersionLike): string {
  return version.text.split('+')[0]!;
}

/**
 * A bundle whose tag has build metadata gets the version of the tag: only the tag distinguishes builds of one version.
 */
function identified(bundle: BundleBlob, { version }: BundleVersionLike): BundleBlob {
  if (version.build.length === 0 || version.text === ownVersion(bundle)) return bundle;
  const identity = { type: 'olm.package', value: { packageName: bundle.package, version: version.text } };
  return { ...bundle, properties: [identity, ...bundle.properties.filter(({ type }) => type !== 'olm.package')] };
}

/** The description of a package is that of its newest bundle. */
export function displayedDescription({ properties }: BundleBlob): string | undefined {
  const value = properties.find(({ type }) => type === 'olm.csv.metadata')?.value;
  const description = isRecord(value) ? field(value, 'description') : undefined;
  return typeof description === 'string' && description !== '' ? description.slice(0, MAX_DESCRIPTION) : undefined;
}

const MAX_DESCRIPTION = 16_384;
