/** The versions that each operator of a Masterminds range admits, for full versions and for those with a wildcard. */
import {
  compareNaturals,
  comparePrereleases,
  compareVersions,
  type Identifier,
  type Natural,
  type SemanticVersion,
} from '../version.ts';

export type MastermindsOperator = '' | '=' | '!=' | '>' | '<' | '>=' | '=>' | '<=' | '=<' | '~' | '~>' | '^';

export interface MastermindsConstraint {
  readonly operator: MastermindsOperator;
  readonly major: Natural;
  readonly minor: Natural;
  readonly patch: Natural;
  readonly prerelease: readonly Identifier[];
  /** The first number that is a wildcard or missing; it and those after it are zero. */
  readonly wild: 'major' | 'minor' | 'patch' | undefined;
}

/** Whether all of several joined constraints admit a version. One pre-release among them lets pre-releases in. */
export function admits(constraints: readonly MastermindsConstraint[], version: SemanticVersion): boolean {
  const prereleases = constraints.some(({ prerelease }) => prerelease.length > 0);
  if (version.prerelease.length > 0 && !prereleases) return false;
  return constraints.every((constraint) => admitsOne(constraint, version));
}

function admitsOne(constraint: MastermindsConstraint, version: SemanticVersion): boolean {
  switch (constraint.operator) {
    case '':
    case '=':
      return constraint.wild === undefined
        ? compareVersions(version, constraint) === 0
        : admitsTilde(constraint, version);
    case '!=':
      return admitsOther(constraint, version);
    case '>':
      return admitsAbove(constraint, version);
    case '>=':
    case '=>':
      return compareVersions(version, constraint) >= 0;
    case '<':
      return compareVersions(version, constraint) < 0;
    case '<=':
    case '=<':
      return admitsUpTo(constraint, version);
    case '~':
    case '~>':
      return admitsTilde(constraint, version);
    default:
      return admitsCaret(constraint, version);
  }
}

/** `!=1.x` refuses all of 1; `!=1.2.x` all of 1.2 but pre-releases other than its own. */
function admitsOther(constraint: MastermindsConstraint, version: SemanticVersion): boolean {
  const { wild } = constraint;
  if (wild === undefined || wild === 'major') return compareVersions(version, constraint) !== 0;
  if (version.major !== constraint.major) return true;
  if (wild === 'minor') return false;
  if (version.minor !== constraint.minor) return true;
  return comparePrereleases(version.prerelease, constraint.prerelease) !== 0;
}

/** `>11` begins with 12, `>11.1` with 11.2; `>*` admits all but 0.0.0. */
function admitsAbove(constraint: MastermindsConstraint, version: SemanticVersion): boolean {
  const { wild } = constraint;
  if (wild === undefined || wild === 'major') return compareVersions(version, constraint) > 0;
  const majors = compareNaturals(version.major, constraint.major);
  if (majors !== 0 || wild === 'minor') return majors > 0;
  return compareNaturals(version.minor, constraint.minor) > 0;
}

/** `<=11` admits all of 11; `<=*` only 0.0. */
function admitsUpTo(constraint: MastermindsConstraint, version: SemanticVersion): boolean {
  if (constraint.wild === undefined) return compareVersions(version, constraint) <= 0;
  const majors = compareNaturals(version.major, constraint.major);
  if (majors !== 0) return majors < 0;
  return constraint.wild === 'minor' || compareNaturals(version.minor, constraint.minor) <= 0;
}

/** `~1.2.3` stays within 1.2, `~1` within 1; `~0.0.0` and `~*` admit everything. */
function admitsTilde(constraint: MastermindsConstraint, version: SemanticVersion): boolean {
  const { major, minor, patch, wild } = constraint;
  if (compareVersions(version, constraint) < 0) return false;
  if (major === 0 && minor === 0 && patch === 0 && wild !== 'minor' && wild !== 'patch') return true;
  return version.major === major && (wild === 'minor' || version.minor === minor);
}

/** `^1.2.3` stays within 1, `^0.2.3` within 0.2, `^0.0.3` at 0.0.3; `^*` is `^0.0.0`. */
function admitsCaret(constraint: MastermindsConstraint, version: SemanticVersion): boolean {
  const { major, minor, patch, wild } = constraint;
  if (compareVersions(version, constraint) < 0 || version.major !== major) return false;
  if (major > 0 || wild === 'minor') return true;
  if (version.minor !== minor) return false;
  return minor > 0 || wild === 'patch' || version.patch === patch;
}
