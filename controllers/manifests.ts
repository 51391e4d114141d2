/**
 * Keeps the rendered objects of a Revision in the cluster: gzipped JSON in immutable Secrets, so that repair, rollback
 * and uninstall never need a registry. A Secret holds at most 1 MiB, so large manifests are split into pieces.
 */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Cluster } from '../api/cluster.ts';
import { ReasonedError } from '../api/errors.ts';
import { formatJson } from '../api/json.ts';
import { JsonCounts } from '../api/json-counts.ts';
import { JsonList } from '../api/json-list.ts';
import type { KubeObject } from '../api/object.ts';
import { MAX_OBJECTS, type Revision, type RevisionSpec } from '../api/revision.ts';
import { MOST_WEIGHT } from '../bundles/render/rendered-size.ts';
import { MEMORY_COSTS, weigh } from '../bundles/room.ts';
import { checkManifests, tooHeavy } from './manifest-objects.ts';
import { readPiece, secretNames } from './manifest-secrets.ts';

/** Bytes of a piece before base64: Secrets are limited to 1 MiB, names and metadata included. */
const PIECE_BYTES = 700 * 1024;

/** The most bytes that a Revision's objects may have when they are unpacked. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Rendered objects, ready to be stored. */
export interface PackedManifests {
  /** `sha256:<hex>` of the JSON before compression. */
  readonly digest: string;
  readonly objects: number;
  /** About the bytes of memory that the objects take. */
  readonly weight: number;
  readonly pieces: readonly Buffer[];
}

/**
 * Packs objects in their order. The same objects give the same digest and pieces. Throws BundleTooLarge, never retried, for more
 * objects than a Revision may have, or for more bytes than are unpacked again.
 */
export async function packManifests(objects: readonly KubeObject[]): Promise<PackedManifests> {
  if (objects.length > MAX_OBJECTS) throw tooMany(objects.length);
  const hash = createHash('sha256');
  let bytes = 0;
  const hashed = function* (): Generator<string> {
    for (const text of textsOf(objects)) {
      bytes += Buffer.byteLength(text);
      if (bytes > MAX_BYTES) throw tooLong();
      hash.update(text);
      yield text;
    }
  };
  const packed = await pipeline(hashed, createGzip(), (gzipped) => buffer(gzipped));
  const pieces: Buffer[] = [];
  for (let start = 0; start < packed.length; start += PIECE_BYTES)
    pieces.push(packed.subarray(start, start + PIECE_BYTES));
  const digest = `sha256:${hash.digest('hex')}`;
  return { digest, objects: objects.length, weight: weigh(objects), pieces };
}

function tooMany(count: number): ReasonedError {
  return new ReasonedError({
    reason: 'BundleTooLarge',
    retry: 'never',
    message: `The bundle renders to ${count} objects, and a Revision has at most ${MAX_OBJECTS}`,
    hint: 'Each namespace in spec.watchNamespaces takes a Role and a RoleBinding for each permission: name fewer of them, or all namespaces',
  });
}

/** The JSON may be longer than the files: six characters for each control character. */
function tooLong(): ReasonedError {
  return new ReasonedError({
    reason: 'BundleTooLarge',
    retry: 'never',
    message: `The bundle renders to objects of more than ${MAX_BYTES >> 20} MiB of JSON`,
    hint: 'Ask the author of the bundle for a smaller one',
  });
}

/** Characters that are packed at once: the JSON of a large bundle would take as much memory again as its files. */
const BATCH = 64 * 1024;

/** The JSON of the list of objects, in parts. */
function* textsOf(objects: readonly KubeObject[]): Generator<string> {
  let text = '[';
  for (const [index, object] of objects.entries()) {
    text += `${index === 0 ? '' : ','}${formatJson(object)}`;
    if (text.length < BATCH) continue;
    yield text;
    text = '';
  }
  yield `${text}]`;
}

/** The packed objects in their order, before they are stored. */
export async function unpackManifests({ pieces }: PackedManifests): Promise<readonly KubeObject[]> {
  const items = await itemsIn(pieces);
  if (items === undefined) throw new Error('packed manifests cannot be read');
  return items as readonly KubeObject[];
}

/** The digest of the unpacked bytes, and their counts. Throws if the pieces are damaged, or unpack to too much. */
async function inspect(pieces: readonly Buffer[]): Promise<{ readonly digest: string; readonly counts: JsonCounts }> {
  const hash = createHash('sha256');
  const counts = new JsonCounts();
  await unpack(pieces, (chunk) => {
    hash.update(chunk);
    counts.push(chunk);
  });
  return { digest: `sha256:${hash.digest('hex')}`, counts };
}

/**
 * Each object is parsed as soon as its last byte is unpacked. Undefined if the unpacked bytes are no list in JSON, or one that is
 * too long. Throws as {@link inspect} does.
 */
async function itemsIn(pieces: readonly Buffer[]): Promise<readonly unknown[] | undefined> {
  const list = new JsonList(MAX_OBJECTS);
  await unpack(pieces, (chunk) => list.push(chunk));
  return list.items;
}

async function unpack(pieces: readonly Buffer[], take: (chunk: Buffer) => void): Promise<void> {
  let bytes = 0;
  await pipeline(pieces, createGunzip(), async (unpacked: AsyncIterable<Buffer>) => {
    for await (const chunk of unpacked) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw new RangeError(`the manifests have more than ${MAX_BYTES} bytes`);
      take(chunk);
    }
  });
}

/** `spec.manifests` of the Revision with that name. */
export function describeManifests(revisionName: string, packed: PackedManifests): RevisionSpec['manifests'] {
  const { digest, objects, pieces } = packed;
  return { secrets: [...secretNames(revisionName, digest, pieces.length)], digest, objects };
}

/** The stored manifests of a Revision, whose digest is right. */
export interface ReadManifests {
  /** About the bytes of memory that the objects take. */
  readonly weight: number;
  /** Parses them. Throws RevisionInvalid, never retried, if the content cannot have been rendered by the manager. */
  readonly parse: () => Promise<readonly KubeObject[]>;
}

/** The most bytes of a Revision's stored manifests, which are all that is known before they are read. */
export function weightToRead({ spec }: Revision): number {
  return spec.manifests.secrets.length * PIECE_BYTES;
}

/**
 * Reads manifests, and parses nothing. Throws ManifestsMissing, retried with growing delays, if a Secret is missing or its
 * content does not match the digest in the Revision (the Subscription's controller writes it again), and RevisionInvalid,
 * never retried, if the objects are heavier than the manager renders.
 */
export async function readManifests(cluster: Pick<Cluster, 'get'>, revision: Revision): Promise<ReadManifests> {
  const pieces = await loadPieces(cluster, revision);
  const { digest, counts } = await inspect(pieces).catch((cause: unknown) => {
    throw damaged(revision, 'cannot be unpacked', cause);
  });
  // Nothing is parsed before: a tenant may replace the Secret, and a few kilobytes can be millions of values.
  if (digest !== revision.spec.manifests.digest) throw damaged(revision, 'are not what their digest says');
  const ofValues = MEMORY_COSTS.container * counts.containers + MEMORY_COSTS.value * counts.entries;
  if (ofValues > MOST_WEIGHT) throw tooHeavy(revision);
  return { weight: counts.bytes + ofValues, parse: async () => checkManifests(await itemsIn(pieces), revision) };
}

/** Reads the objects back. Throws as {@link readManifests} and its `parse` do. */
export async function loadManifests(cluster: Pick<Cluster, 'get'>, revision: Revision): Promise<readonly KubeObject[]> {
  const { parse } = await readManifests(cluster, revision);
  return parse();
}

function loadPieces(cluster: Pick<Cluster, 'get'>, revision: Revision): Promise<readonly Buffer[]> {
  return Promise.all(
    revision.spec.manifests.secrets.map(async (name) => {
      const piece = await readPiece(cluster, revision, name);
      if (typeof piece === 'string') throw damaged(revision, `are incomplete: ${piece}`);
      return piece;
    }),
  );
}

function damaged(revision: Revision, what: string, cause?: unknown): ReasonedError {
  return new ReasonedError({
    reason: 'ManifestsMissing',
    retry: 'backoff',
    message: `The stored manifests of Revision ${revision.metadata.namespace}/${revision.metadata.name} ${what}`,
    hint: 'They are rendered again as soon as the registry can be reached',
    cause,
  });
}
