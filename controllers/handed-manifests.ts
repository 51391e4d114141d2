/**
 * Hands manifests from the controller that stores them to the one that reads them next, within the process: one read less for
 * each Revision, and they are unpacked and prepared while they are stored. Only the Secrets count: manifests that were not handed
 * over, or were dropped for lack of room, are read from there, and checked against the digest of the Revision. The digest of
 * those that are handed over was computed from their bytes in this process, so that they need no further check.
 */
import { awaitedLater } from '../api/awaited-later.ts';
import { hashObject, prepareObjects, type PrepareOptions } from '../apply/prepare.ts';
import { canonicalJson } from '../api/json.ts';
import type { KubeObject } from '../api/object.ts';
import type { Revision } from '../api/revision.ts';
import { unpackManifests, type PackedManifests } from './manifests.ts';
import { prepareFor } from './prepare-for.ts';

/** The objects of manifests that were handed over. */
export interface HandedObjects {
  /** As in the Secrets of the Revision. */
  readonly rendered: readonly KubeObject[];
  /** Prepared for the Revision that takes them; absent if they are not, or are for another one. */
  readonly prepared?: readonly KubeObject[];
}

export interface HandedManifests {
  /**
   * Called when the writes have begun that store the manifests; the Revision is created after those.
   * @param readNextBy The Revision, if it reads them as soon as it exists: then they are unpacked and prepared already.
   */
  put(packed: PackedManifests, options: { readonly readNextBy?: Revision }): void;
  /** The weight of the objects that wait for the Revision; undefined if none do. */
  weightFor(revision: Revision): number | undefined;
  /** Called if no Revision of that digest was made. */
  drop(digest: string): void;
  /** The objects of the Revision's manifests, once; undefined if they were not handed over or were dropped. */
  take(revision: Revision): Promise<HandedObjects> | undefined;
}

/** The most packed bytes that wait to be taken; beyond that, the oldest are dropped. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Unpacked manifests take many times the room: those of others are unpacked when they are taken. */
const MOST_UNPACKED = 2;

/** The most weight of manifests that are unpacked ahead: no reconcile has a slot for them yet (see loads.ts). */
const MOST_WEIGHT_AHEAD = 4 << 20;

interface ReadyObjects extends Required<HandedObjects> {
  readonly preparedFor: PrepareOptions;
}

interface HandedEntry {
  readonly packed: PackedManifests;
  readonly ready?: Promise<ReadyObjects>;
}

/** @param unpack For tests. */
export function createHandedManifests(maxBytes = MAX_BYTES, unpack = unpackManifests): HandedManifests {
  const waiting = new Map<string, HandedEntry>();
  return {
    put(packed, { readNextBy }) {
      waiting.delete(packed.digest);
      const reader = hasRoom(waiting) && packed.weight <= MOST_WEIGHT_AHEAD ? readNextBy : undefined;
      const ready = reader && begin(packed, reader, unpack);
      waiting.set(packed.digest, ready === undefined ? { packed } : { packed, ready });
      for (const oldest of waiting.keys()) {
        if (total(waiting) <= maxBytes) break;
        waiting.delete(oldest);
      }
    },
    weightFor: ({ spec }) => waiting.get(spec.manifests.digest)?.packed.weight,
    drop: (digest) => void waiting.delete(digest),
    take(revision) {
      const { digest } = revision.spec.manifests;
      const known = waiting.get(digest);
      waiting.delete(digest);
      return known && objectsFor(revision, known, unpack);
    },
  };
}

function hasRoom(waiting: ReadonlyMap<string, HandedEntry>): boolean {
  return [...waiting.values()].filter(({ ready }) => ready !== undefined).length < MOST_UNPACKED;
}

function begin(packed: PackedManifests, reader: Revision, unpack: typeof unpackManifests): Promise<ReadyObjects> {
  return awaitedLater(makeReady(packed, reader, unpack));
}

async function makeReady(
  packed: PackedManifests,
  reader: Revision,
  unpack: typeof unpackManifests,
): Promise<ReadyObjects> {
  const rendered = await unpack(packed);
  const preparedFor = prepareFor(reader);
  const prepared = prepareObjects(rendered, preparedFor);
  // The hash is kept with each object; those of a large bundle take 10 ms.
  prepared.forEach(hashObject);
  return { rendered, prepared, preparedFor };
}

async function objectsFor(
  revision: Revision,
  { packed, ready }: HandedEntry,
  unpack: typeof unpackManifests,
): Promise<HandedObjects> {
  if (ready === undefined) return { rendered: await unpack(packed) };
  const { rendered, prepared, preparedFor } = await ready;
  const isFor = canonicalJson(preparedFor) === canonicalJson(prepareFor(revision));
  return isFor ? { rendered, prepared } : { rendered };
}

function total(waiting: ReadonlyMap<string, HandedEntry>): number {
  const pieces = [...waiting.values()].flatMap(({ packed }) => packed.pieces);
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
