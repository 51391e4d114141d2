/**
 * The rules for versions and ranges that catalogs need. The resolver implements them in its version.ts and
 * ranges/blang.ts; callers of this folder pass them in.
 */

/** A semantic version, parsed by an implementation of these rules. */
export interface VersionLike {
  readonly text: string;
  readonly major: number | bigint;
  readonly minor: number | bigint;
  readonly patch: number | bigint;
  readonly prerelease: readonly unknown[];
  readonly build: readonly string[];
}

/** A version with its release; no release is an empty list. */
export interface BundleVersionLike {
  readonly version: VersionLike;
  readonly release: readonly unknown[];
}

/** The value, or the problem with the text, which continues the sentence "the version is invalid: …". */
export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export interface VersionRules {
  parseVersion(text: string): Read<VersionLike>;
  /** Of `olm.package`; build metadata that reads as a release is one. */
  parseBundleVersion(text: string, release?: string): Read<BundleVersionLike>;
  /** Negative, zero or positive; build metadata does not count. */
  compareVersions(a: VersionLike, b: VersionLike): number;
  /** By version, then by release. */
  compareBundleVersions(a: BundleVersionLike, b: BundleVersionLike): number;
  /** A range in the grammar of `skipRange`. */
  parseRange(text: string): Read<unknown>;
}
