/** The resolver's versions and ranges, as catalog/ asks for them. */
import type { VersionRules } from '../../../catalog/versions.ts';
import { parseBlangRange } from '../../../resolver/ranges/blang.ts';
import { compareBundleVersions, compareVersions, parseBundleVersion, parseVersion } from '../../../resolver/version.ts';

export const versionRules = {
  parseVersion,
  parseBundleVersion,
  compareVersions,
  compareBundleVersions,
  parseRange: parseBlangRange,
} as VersionRules;
