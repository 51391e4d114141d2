/** Selects the tags of a repository that are versions, and orders them. */
import { compareText } from '../../api/compare-text.ts';
import type { BundleVersionLike, VersionRules } from '../versions.ts';

/** A tag that is a version. */
export interface VersionTag {
  readonly tag: string;
  readonly version: BundleVersionLike;
}

/** A tag that is not offered, and why: continues the sentence "the tag … is left out: …". */
export interface IgnoredTag {
  readonly tag: string;
  readonly because: string;
}

export interface TagLimits {
  /** Most tags that are read. */
  readonly maxTags: number;
  /** Versions that are offered, the newest first. */
  readonly maxVersions: number;
}

export const DEFAULT_TAG_LIMITS: TagLimits = { maxTags: 20_000, maxVersions: 500 };

export interface OrderedTags {
  /** In ascending order. */
  readonly versions: readonly VersionTag[];
  /** Versions that are left out; tags that are no versions, such as `latest`, are not mentioned. */
  readonly ignored: readonly IgnoredTag[];
}

/**
 * Orders the tags that are semantic versions. A leading `v` does not count, and `_` stands for the `+` of build
 * metadata, which tags cannot have. Of `1.0.0` and `v1.0.0` the one without `v` is taken.
 */
export function orderTags(
  tags: readonly string[],
  rules: VersionRules,
  { maxTags, maxVersions }: TagLimits = DEFAULT_TAG_LIMITS,
): OrderedTags {
  const ignored: IgnoredTag[] = [];
  const found = [...new Set(tags.slice(0, maxTags))].flatMap((tag) => readTag(tag, rules));
  found.sort(
    (a, b) =>
      rules.compareBundleVersions(a.version, b.version) ||
      preference(b.tag) - preference(a.tag) ||
      compareText(a.tag, b.tag),
  );
  const versions: VersionTag[] = [];
  for (const candidate of found) {
    const last = versions.at(-1);
    if (last === undefined || rules.compareBundleVersions(last.version, candidate.version) !== 0)
      versions.push(candidate);
    else ignored.push({ tag: candidate.tag, because: `it is the same version as the tag ${last.tag}` });
  }
  const surplus = versions.splice(0, Math.max(0, versions.length - maxVersions));
  const tooMany = `the repository has more than ${maxVersions} versions; the newest are offered`;
  ignored.push(...surplus.map(({ tag }) => ({ tag, because: tooMany })));
  if (tags.length > maxTags)
    ignored.push({ tag: tags[maxTags]!, because: `the repository has more than ${maxTags} tags` });
  return { versions, ignored };
}

function readTag(tag: string, rules: VersionRules): VersionTag[] {
  if (tag.length > MAX_TAG_LENGTH) return [];
  const read = rules.parseBundleVersion(tag.replace(/^v/, '').replaceAll('_', '+'));
  return read.ok ? [{ tag, version: read.value }] : [];
}

/** @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests */
const MAX_TAG_LENGTH = 128;

function preference(tag: string): number {
  return tag.startsWith('v') ? 0 : 1;
}
