/**
 * Keeps the rendered objects of a Revision in the cluster: gzipped JSON in immutable Secrets, so that repair, rollback
 * and uninstall never need a registry. A Secret holds at most 1 MiB, so large manifests are split into pieces.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Cluster } from '../api/cluster.ts';
import { ReasonedError } from '../api/errors.ts';
import { formatJson, parseJson } from '../api/json.ts';
import type { KubeObject } from '../api/object.ts';
import type { Revision, RevisionSpec } from '../api/revision.ts';
import { digestOf } from '../oci/digest.ts';
import { parseManifests } from './manifest-objects.ts';
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
  readonly pieces: readonly Buffer[];
}

/** Packs objects in their order. The same objects give the same digest and pieces. */
export async function packManifests(objects: readonly KubeObject[]): Promise<PackedManifests> {
  const json = Buffer.from(formatJson(objects));
  const packed = await promisify(gzip)(json);
  const pieces: Buffer[] = [];
  for (let start = 0; start < packed.length; start += PIECE_BYTES)
    pieces.push(packed.subarray(start, start + PIECE_BYTES));
  return { digest: digestOf(json), objects: objects.length, pieces };
}

/** The packed objects in their order, before they are stored. */
export async function unpackManifests({ pieces }: PackedManifests): Promise<readonly KubeObject[]> {
  const json = await promisify(gunzip)(Buffer.concat(pieces), { maxOutputLength: MAX_BYTES });
  return parseJson(json.toString('utf8')) as readonly KubeObject[];
}

/** `spec.manifests` of the Revision with that name. */
export function describeManifests(revisionName: string, packed: PackedManifests): RevisionSpec['manifests'] {
  const { digest, objects, pieces } = packed;
  return { secrets: [...secretNames(revisionName, digest, pieces.length)], digest, objects };
}

/**
 * Reads the objects back. Throws ManifestsMissing, retried with growing delays, if a Secret is missing or its content
 * does not match the digest in the Revision (the Subscription's controller writes it again), and RevisionInvalid, never
 * retried, if the content cannot have been rendered by the manager.
 *
 * @param handed The pieces, if the caller has them and they need not be read.
 */
export async function loadManifests(
  cluster: Pick<Cluster, 'get'>,
  revision: Revision,
  handed?: readonly Buffer[],
): Promise<readonly KubeObject[]> {
  const pieces = handed ?? (await loadPieces(cluster, revision));
  const json = await promisify(gunzip)(Buffer.concat(pieces), { maxOutputLength: MAX_BYTES }).catch(
    (cause: unknown) => {
      throw damaged(revision, 'cannot be unpacked', cause);
    },
  );
  if (digestOf(json) !== revision.spec.manifests.digest) throw damaged(revision, 'are not what their digest says');
  return parseManifests(json.toString('utf8'), revision);
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
