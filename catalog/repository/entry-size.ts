/**
 * Bounds the entries of bundles that become one catalog: all of them are in memory until it is written, and publishers
 * state as many properties as the files of a bundle have room for. Pure.
 */
import { ReasonedError } from '../../api/errors.ts';
import { MAX_JSON_DEPTH } from '../../api/json.ts';
import { makeRoom, takeRoom, type Room } from '../../bundles/room.ts';
import type { BundleBlob } from '../blob.ts';

/** Characters of one entry; the largest published one has 490,971. */
const MOST_OF_ENTRY = 4 << 20;

/** Characters of all entries of a Catalog; the 4,473 bundles of OperatorHub.io have 69 MB, in 370 packages. */
const MOST_OF_CATALOG = 64 << 20;

/** Room for all entries of one Catalog. */
export function roomForEntries(): Room {
  return makeRoom(MOST_OF_CATALOG);
}

/** Refuses a bundle whose entry is too large. Throws BundleTooLarge, never retried. */
export function checkEntrySize(entry: BundleBlob): void {
  if (takeRoom(entry, makeRoom(MOST_OF_ENTRY), MAX_JSON_DEPTH) === undefined) return;
  throw new ReasonedError({
    reason: 'BundleTooLarge',
    retry: 'never',
    message: `the entry of the bundle ${entry.name} has more than ${MOST_OF_ENTRY} characters`,
    hint: 'Shorten metadata/properties.yaml, or the texts and annotations of the ClusterServiceVersion',
  });
}

/**
 * Takes the room of an entry; absent, only asks whether any is left. Throws CatalogInvalid, never retried, if there is
 * none. The outcome does not depend on the order of the entries.
 */
export function takeEntry(room: Room, entry?: BundleBlob): void {
  if (room.left >= 0 && (entry === undefined || takeRoom(entry, room, MAX_JSON_DEPTH) === undefined)) return;
  room.left = -1;
  throw new ReasonedError({
    reason: 'CatalogInvalid',
    retry: 'never',
    message: `the entries of the bundles have more than ${room.most} characters together`,
    hint: 'Offer the repositories by several Catalogs, or delete tags of old versions',
  });
}
