/**
 * Hands manifests from the controller that stores them to the one that reads them next, within the process: one read less for
 * each Revision, and they are unpacked while they are stored. Only the Secrets count: manifests that were not handed over, or
 * were dropped for lack of room, are read from there, and checked against the digest of the Revision. The digest of those that
 * are handed over was computed from their bytes in this process, so that they need no further check.
 */
import type { KubeObject } from '../api/object.ts';
import { unpackManifests, type PackedManifests } from './manifests.ts';

export interface HandedManifests {
  /**
   * Called when the writes have begun that store the manifests; the Revision is created after those.
   * @param isReadNext Whether they are read as soon as it exists: then they are unpacked already.
   */
  put(packed: PackedManifests, options: { readonly isReadNext: boolean }): void;
  /** Called if no Revision of that digest was made. */
  drop(digest: string): void;
  /** The objects of that digest, once; undefined if they were not handed over or were dropped. */
  take(digest: string): Promise<readonly KubeObject[]> | undefined;
}

/** The most packed bytes that wait to be taken; beyond that, the oldest are dropped. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Unpacked manifests take many times the room: those of others are unpacked when they are taken. */
const MOST_UNPACKED = 2;

interface HandedEntry {
  readonly packed: PackedManifests;
  readonly unpacked?: Promise<readonly KubeObject[]>;
}

/** @param unpack For tests. */
export function createHandedManifests(maxBytes = MAX_BYTES, unpack = unpackManifests): HandedManifests {
  const waiting = new Map<string, HandedEntry>();
  return {
    put(packed, { isReadNext }) {
      waiting.delete(packed.digest);
      const isUnpacked = isReadNext && hasRoom(waiting);
      waiting.set(packed.digest, isUnpacked ? { packed, unpacked: unpackAhead(packed, unpack) } : { packed });
      for (const oldest of waiting.keys()) {
        if (total(waiting) <= maxBytes) break;
        waiting.delete(oldest);
      }
    },
    drop: (digest) => void waiting.delete(digest),
    take(digest) {
      const known = waiting.get(digest);
      waiting.delete(digest);
      return known && (known.unpacked ?? unpack(known.packed));
    },
  };
}

function hasRoom(waiting: ReadonlyMap<string, HandedEntry>): boolean {
  return [...waiting.values()].filter(({ unpacked }) => unpacked !== undefined).length < MOST_UNPACKED;
}

function unpackAhead(packed: PackedManifests, unpack: typeof unpackManifests): ReturnType<typeof unpackManifests> {
  const unpacked = unpack(packed);
  // Awaited by the one who takes them: a rejection before that must not count as unhandled.
  unpacked.catch(() => undefined);
  return unpacked;
}

function total(waiting: ReadonlyMap<string, HandedEntry>): number {
  const pieces = [...waiting.values()].flatMap(({ packed }) => packed.pieces);
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
