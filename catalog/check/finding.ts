/** What a check of a catalog found. */
import type { Place } from '../invalid.ts';

/**
 * Every rule that a catalog can break. An error is what the reference tools refuse, too, but for NoPackages; a warning is what they let
 * pass though it will surprise somebody.
 */
export const CHECK_RULES = {
  NoPackages: 'A catalog has packages.',
  PackageName: 'A package has a name that can be a DNS label.',
  DuplicatePackage: 'A package is described once.',
  DefaultChannel: 'A package names a default channel that exists.',
  NoChannels: 'A package has at least one channel.',
  UnknownPackage: 'What belongs to a package names one that is there.',
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
  Malformed: 'What the catalog describes can be understood.',
} as const;

export type CheckRule = keyof typeof CHECK_RULES;

export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly rule: CheckRule;
  /** The package, where it is known. */
  readonly package?: string;
  /** What is wrong, on which object. */
  readonly message: string;
  /** What to do about it. */
  readonly advice: string;
  /** Where the object is described. */
  readonly place?: Place;
}
