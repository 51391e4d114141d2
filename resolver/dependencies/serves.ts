/** Compares one package, installed or offered, with a requirement that is not made of parts. */
import type { InstalledPackage } from '../input.ts';
import { parseBundleVersion } from '../version.ts';
import { providedKeys, type Requirement } from './requirements.ts';
import { meets } from './options.ts';

type ServingPackage = Pick<InstalledPackage, 'package' | 'version' | 'release' | 'properties'>;

/**
 * Whether a package meets a requirement. A version that cannot be parsed is in no range; no package alone meets a
 * requirement that is made of parts.
 */
export function serves(one: ServingPackage, requirement: Requirement): boolean {
  return meets(readOffer(one), requirement);
}

/** A package in the form that requirements are compared with; read it once to compare many. */
export type Offered = Parameters<typeof meets>[0];

export function readOffer(one: ServingPackage): Offered {
  const { package: name, properties } = one;
  const version = parseBundleVersion(one.version, one.release);
  const kinds = providedKeys(properties);
  return { package: name, version: version.ok ? version.value : undefined, properties, kinds };
}
