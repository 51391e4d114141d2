/** Rules for versions made of the npm package `semver`, good enough for tests of this folder. */
import { Range, SemVer } from 'semver';
import type { BundleVersionLike, Read, VersionLike, VersionRules } from '../versions.ts';

export const versionRules: VersionRules = {
  parseVersion: parse,
  compareVersions: (a, b) => new SemVer(a.text).compare(b.text),
  parseBundleVersion(text, release): Read<BundleVersionLike> {
    const version = parse(text);
    if (!version.ok) return version;
    if (release !== undefined && version.value.build.length > 0) return bad('it has both build metadata and a release');
    if (release !== undefined && release.length > 20) return bad('its release is malformed');
    return { ok: true, value: { version: version.value, release: release?.split('.') ?? version.value.build } };
  },
  compareBundleVersions: (a, b) =>
    versionRules.compareVersions(a.version, b.version) ||
    a.release.join('.').localeCompare(b.release.join('.'), 'en', { numeric: true }),
  parseRange(text) {
    if (/[v^~,]/.test(text)) return bad('it is not in the grammar of catalogs');
    try {
      return { ok: true, value: new Range(text) };
    } catch {
      return bad('it cannot be read');
    }
  },
};

function parse(text: string): Read<VersionLike> {
  if (!/^\d+\.\d+\.\d+/.test(text)) return bad('it is not of the form MAJOR.MINOR.PATCH');
  try {
    const { major, minor, patch, prerelease, build } = new SemVer(text);
    return { ok: true, value: { text, major, minor, patch, prerelease, build } };
  } catch {
    return bad('it is malformed');
  }
}

function bad(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}
