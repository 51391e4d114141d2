/**
 * A range of versions, parsed once and asked often. Two grammars make ranges: blang.ts, which catalogs use for
 * `skipRange` and dependencies, and masterminds.ts, in which a person writes `spec.version`. npm's grammar
 * agrees with neither.
 */
import type { SemanticVersion } from '../version.ts';

export interface VersionRange {
  /** As it was written. */
  readonly text: string;
  /** Whether a version is inside; linear in the range's length, never throws. */
  readonly includes: (version: SemanticVersion) => boolean;
}
