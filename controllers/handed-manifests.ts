/**
 * Hands packed manifests from the controller that has just stored them to the one that reads them next, within the
 * process: one read less for each Revision. Only the Secrets count: manifests that were not handed over, or were
 * dropped for lack of room, are read from there. Both are checked against the digest of the Revision.
 */
import type { PackedManifests } from './manifests.ts';

export interface HandedManifests {
  /** Called after the manifests are stored. */
  put(packed: PackedManifests): void;
  /** The pieces of that digest, once; undefined if they were not handed over or were dropped. */
  take(digest: string): readonly Buffer[] | undefined;
}

/** The most bytes that wait to be taken; beyond that, the oldest are dropped. */
const MAX_BYTES = 4 * 1024 * 1024;

export function createHandedManifests(maxBytes = MAX_BYTES): HandedManifests {
  const waiting = new Map<string, PackedManifests>();
  return {
    put(packed) {
      waiting.delete(packed.digest);
      waiting.set(packed.digest, packed);
      for (const oldest of waiting.keys()) {
        if (total(waiting) <= maxBytes) break;
        waiting.delete(oldest);
      }
    },
    take(digest) {
      const packed = waiting.get(digest);
      waiting.delete(digest);
      return packed?.pieces;
    },
  };
}

function total(waiting: ReadonlyMap<string, PackedManifests>): number {
  const pieces = [...waiting.values()].flatMap((packed) => packed.pieces);
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
