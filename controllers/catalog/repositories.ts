/**
 * The content of a Catalog of repositories: which tags are versions and which digests they have now, and the bundles
 * behind them as the documents of a file-based catalog. Bundles that are known by digest are not pulled again.
 */
import { ReasonedError } from '../../api/errors.ts';
import type { CatalogSpec } from '../../api/catalog.ts';
import { createSlots } from '../../apply/slots.ts';
import { buildBundleBlob, parseBundleDirectory, type BundleBlob } from '../../catalog/blob.ts';
import { countLeftOut } from '../../catalog/index/left-out.ts';
import type { CatalogIndex } from '../../catalog/index/open.ts';
import {
  buildRepositoryCatalog,
  fileOf,
  knownBundles,
  repositoriesDigest,
  type DescribedVersion,
  type Dispute,
} from '../../catalog/repository/build.ts';
import { checkEntry } from '../../catalog/repository/entry-check.ts';
import { checkEntrySize } from '../../catalog/repository/entry-size.ts';
import { DEFAULT_TAG_LIMITS, orderTags, type IgnoredTag, type VersionTag } from '../../catalog/repository/tags.ts';
import { BUNDLE_LIMITS, pullFiles } from '../../oci/image.ts';
import { parseReference } from '../../oci/reference.ts';
import type { Registry } from '../../oci/registry.ts';
import { versionRules } from '../../resolver/version-rules.ts';
import { entriesOf, type FoundEntry } from './entries.ts';
import type { PulledCatalog } from './pull.ts';

type Repositories = NonNullable<CatalogSpec['source']['repositories']>;

/** The most versions that a Catalog offers: each repository has an equal share, in which its newest versions count. */
const MAX_VERSIONS = 2000;

/** Requests to registries at the same time. */
const IN_FLIGHT = 8;

const FOLDERS = ['manifests/', 'metadata/'];

/** The current versions and digests of the repositories' tags. */
export interface Tags {
  /** Digest over all of them. */
  readonly digest: string;
  readonly repositories: readonly TaggedRepository[];
}

interface TaggedRepository {
  readonly repository: string;
  readonly package?: string;
  readonly versions: readonly (VersionTag & { readonly image: string })[];
  readonly ignored: readonly IgnoredTag[];
  /** Versions whose tags name no image. */
  readonly unreadable: readonly IgnoredTag[];
}

/** Lists the tags and asks for the digest of each version. Throws the errors of a registry. */
export async function resolveTags(registry: Registry, wanted: Repositories, signal: AbortSignal): Promise<Tags> {
  const slots = createSlots(IN_FLIGHT);
  const limits = { ...DEFAULT_TAG_LIMITS, maxVersions: Math.ceil(MAX_VERSIONS / wanted.length) };
  const repositories = await Promise.all(
    wanted.map(async ({ repository, package: name }): Promise<TaggedRepository> => {
      const tags = await slots(() => registry.listTags(parseReference(repository), signal));
      const { versions, ignored } = orderTags(tags, versionRules, limits);
      const resolved = versions.map((version) => slots(() => resolveTag(registry, repository, version, signal)));
      const found = (await Promise.all(resolved)).filter((one) => one !== undefined);
      const unreadable = found.filter((one) => 'because' in one);
      const tagged = found.filter((one) => 'image' in one);
      return { repository, versions: tagged, ignored, unreadable, ...(name !== undefined && { package: name }) };
    }),
  );
  const images = repositories.flatMap(({ versions, unreadable, ...source }) => [
    ...versions.map(({ tag, image }) => ({ ...source, tag, digest: image })),
    ...unreadable.map(({ tag }) => ({ ...source, tag, digest: UNREADABLE })),
  ]);
  return { digest: repositoriesDigest(images), repositories };
}

/** In place of a digest: a tag that cannot be read makes other content of it, so that the status and an event name the tag. */
const UNREADABLE = 'unreadable';

/**
 * Undefined for a tag that was deleted since it was listed. A tag of something that is no image is left out: a registry that does
 * not say the digest of a manifest has to send it.
 */
async function resolveTag(
  registry: Registry,
  repository: string,
  version: VersionTag,
  signal: AbortSignal,
): Promise<TaggedRepository['versions'][number] | IgnoredTag | undefined> {
  const reference = parseReference(`${repository}:${version.tag}`);
  try {
    const { digest } = await registry.resolve(reference, signal);
    return { ...version, image: `${repository}@${digest}` };
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    if (error.reason === 'ImageNotFound') return undefined;
    if (error.reason === 'ImageInvalid' || error.reason === 'ImageTooLarge')
      return { tag: version.tag, because: error.message };
    throw error;
  }
}

/**
 * The documents of all bundles. A bundle that cannot be read is left out and named in `notOffered`; the others are
 * offered. Throws the errors of a registry.
 *
 * @param served The index in service: its bundles are known and not pulled.
 */
export async function pullRepositories(
  registry: Registry,
  { digest, repositories }: Tags,
  { served, signal }: { readonly served: CatalogIndex | undefined; readonly signal: AbortSignal },
): Promise<PulledCatalog> {
  const known = served === undefined ? new Map<string, BundleBlob>() : knownBundles(served);
  const entries = await entriesOf(repositories, async (image) => known.get(image) ?? describe(registry, image, signal));
  const unreadable: (IgnoredTag & { repository: string })[] = [];
  const described = repositories.map((source, number) => {
    const versions = source.versions.flatMap((version, at): DescribedVersion[] => {
      const bundle = entries[number]?.[at] as FoundEntry;
      if (!(bundle instanceof ReasonedError)) return [{ ...version, bundle }];
      unreadable.push({ repository: source.repository, tag: version.tag, because: bundle.message });
      return [];
    });
    return { ...source, versions };
  });
  const { documents, ignored, disputes } = buildRepositoryCatalog(described, versionRules, repositoriesIn(served));
  const before = repositories.flatMap((source) =>
    [...source.ignored, ...source.unreadable].map((tag) => ({ repository: source.repository, ...tag })),
  );
  const left = [...before, ...unreadable, ...ignored];
  const notOffered = countLeftOut(left.map(({ repository, tag, because }) => `${repository}:${tag} (${because})`));
  const disputed = countLeftOut(disputes.map(describeDispute));
  return {
    digest,
    files: [fileOf(documents)],
    notOffered: notOffered && { ...notOffered, ...(disputed !== undefined && { disputed }) },
  };
}

function describeDispute({ package: name, offeredBy, others }: Dispute): string {
  return `${name} is offered by ${offeredBy}, and ${others.join(', ')} ${others.length === 1 ? 'claims' : 'claim'} it too`;
}

/** From which repository an index has a package, by the image of one of its bundles. */
function repositoriesIn(served: CatalogIndex | undefined): (packageName: string) => string | undefined {
  return (name) => served?.package(name)?.bundles[0]?.image.split('@')[0];
}

/** The entry of a bundle, or the reason why it has none; an error that a retry may cure is thrown. */
async function describe(registry: Registry, image: string, signal: AbortSignal): Promise<FoundEntry> {
  try {
    const { files } = await pullFiles(registry, parseReference(image), {
      folders: FOLDERS,
      limits: BUNDLE_LIMITS,
      signal,
    });
    const entry = buildBundleBlob(parseBundleDirectory(files), { image, manifests: 'excerpt' });
    checkEntrySize(entry);
    checkEntry(entry);
    return entry;
  } catch (error) {
    if (error instanceof ReasonedError && error.retry === 'never') return error;
    throw error;
  }
}
