/** The findings of catalog checks. */
import type { DocumentPlace } from '../invalid.ts';

/**
 * Every rule that a catalog can break. The reference tools refuse every error too, except NoPackages; they accept what
 * a warning reports, although it will surprise a user.
 */
export const CHECK_RULES = {
  NoPackages: 'A catalog has packages.',
  PackageName: 'A package has a name that can be a DNS label.',
  DuplicatePackage: 'A package is described once.',
  DefaultChannel: 'A package names a default channel that exists.',
  NoChannels: 'A package has at least one channel.',
  UnknownPackage: 'Channels, bundles and deprecations name a package of the catalog.',
  ChannelName: 'A channel has a name.',
  DuplicateChannel: 'A channel is described once.',
  EmptyChannel: 'A channel has at least one entry.',
  DuplicateEntry: 'A channel has one entry for a bundle.',
  EntryWithoutBundle: 'Every entry of a channel has its bundle in the catalog.',
  NoHead: 'One entry of a channel is replaced and skipped by no other.',
  MultipleHeads: 'Only one entry of a channel is replaced and skipped by no other.',
  Cycle: 'Following replaces from the head comes to an end.',
  Stranded: 'Every entry is reached from the head by replaces, or skipped.',
  EmptySkip: 'A list of skips has names only.',
  SkipRange: 'A skipRange can be parsed.',
  LowersVersion: 'An upgrade leads to a higher version.',
  BundleName: 'A bundle has a name; with a release it is <package>-v<version>-<release>.',
  DuplicateBundle: 'A bundle is described once.',
  BundleWithoutEntry: 'Every bundle is in a channel.',
  Properties: 'Properties are well-formed.',
  BundleIdentity: 'A bundle has one property olm.package, for its own package.',
  BundleVersion: 'A bundle has a semantic version, and a release of at most 20 characters without build metadata.',
  DuplicateVersion: 'No two bundles of a package have the same version and release.',
  BundleImage: 'A bundle has an image with a well-formed reference, or carries its objects.',
  RelatedImage: 'The references of related images are well-formed.',
  Deprecation: 'Each deprecation names a package, channel or bundle once, and the reason.',
  Malformed: 'All documents of the catalog can be parsed.',
} as const;

export type CheckRule = keyof typeof CHECK_RULES;

export interface CatalogFinding {
  readonly severity: 'error' | 'warning';
  readonly rule: CheckRule;
  /** The package, if it is known. */
  readonly package?: string;
  /** The defect and the object that has it. */
  readonly message: string;
  /** The cure. */
  readonly advice: string;
  /** The place of the object in the catalog. */
  readonly place?: DocumentPlace;
}

/** An error in a bundle, a channel or another part of a package. */
export function errorIn(
  part: Required<Pick<CatalogFinding, 'package' | 'place'>>,
  rule: CheckRule,
  message: string,
  advice: string,
): CatalogFinding {
  return { severity: 'error', rule, package: part.package, message, advice, place: part.place };
}
