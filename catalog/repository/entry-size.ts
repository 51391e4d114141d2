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

/** Room for all entries of one Catalog, or for a share of them. */
export function roomForEntries(share = 1): Room {
  return makeRoom(Math.floor(MOST_OF_CATALOG * share));
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

/** Whether every entry had room until now. */
export function hasRoom({ left }: Room): boolean {
  return left >= 0;
}

/** Takes the room of an entry; false, from then on for every entry, if there is not enough. */
export function takeEntry(room: Room, entry: BundleBlob): boolean {
  if (hasRoom(room) && takeRoom(entry, room, MAX_JSON_DEPTH) === undefined) return true;
  room.left = -1;
  return false;
}
