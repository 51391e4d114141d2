/**
 * Leaves out the versions with which a package would be larger than the index admits: it would refuse the whole catalog, with
 * the packages of all other repositories. Pure.
 */
import type { BundleBlob } from '../blob.ts';
import { weigh } from '../index/weigh.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { parseMeaning } from '../parse.ts';

/** The memory that is left to one package. */
export interface PackageRoom {
  /** Takes the room of a version; false, and takes none, if there is not enough. */
  take(bundle: BundleBlob, version: string): boolean;
}

/** More than the document of the package takes, with a description of 16,384 characters. */
const PACKAGE_BYTES = 1 << 16;

/** A version is in at most two channels. */
const MOST_CHANNELS = 2;

/** Room for the versions of one package. */
export function roomForPackage(most: number = DEFAULT_LIMITS.maxPackageBytes): PackageRoom {
  let left = most - PACKAGE_BYTES;
  return {
    take(bundle, version) {
      const weight = weighBundle(bundle) + MOST_CHANNELS * weighEntry(bundle.name, version);
      if (weight > left) return false;
      left -= weight;
      return true;
    },
  };
}

function weighBundle(bundle: BundleBlob): number {
  return weigh(parseMeaning(bundle, { ...bundle }));
}

/** Over all versions, the names that are replaced are no longer than the names of the versions. */
function weighEntry(name: string, version: string): number {
  const entries = [{ name, replaces: name, skips: [], skipRange: `<${version}` }];
  return weigh({ kind: 'channel', channel: { name, entries }, problems: [] });
}
