/** Whether a package, installed or only offered, meets a requirement that is not made of parts. */
import type { InstalledPackage } from '../input.ts';
import { parseBundleVersion } from '../version.ts';
import { kindKey, providedKinds, type Requirement } from './requirements.ts';
import { meets } from './options.ts';

type Described = Pick<InstalledPackage, 'package' | 'version' | 'release' | 'properties'>;

/** A version that cannot be read is in no range; a requirement made of parts is met by nobody alone. */
export function serves(one: Described, requirement: Requirement): boolean {
  return meets(readOffer(one), requirement);
}

/** What requirements are compared with, to be read once where there are many of them. */
export type Offered = Parameters<typeof meets>[0];

export function readOffer(one: Described): Offered {
  const { package: name, properties } = one;
  const version = parseBundleVersion(one.version, one.release);
  const kinds = new Set(providedKinds(properties).map(kindKey));
  return { package: name, version: version.ok ? version.value : undefined, properties, kinds };
}
