/** The resolver's versions and ranges, as catalog/ asks to be given them. */
import type { VersionRules } from '../catalog/versions.ts';
import { parseBlangRange } from './ranges/blang.ts';
import { compareBundleVersions, compareVersions, parseBundleVersion, parseVersion } from './version.ts';

export const versionRules = {
  parseVersion,
  parseBundleVersion,
  compareVersions,
  compareBundleVersions,
  parseRange: parseBlangRange,
} as VersionRules;
