/**
 * Keeps the rendered objects of a Revision in the cluster: gzipped JSON in immutable Secrets, so that repair,
 * rollback and uninstall never need a registry. A Secret holds at most 1 MiB, so large ones are cut in pieces.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Cluster } from '../apply/cluster.ts';
import { ReasonedError } from '../api/errors.ts';
import { formatJson, parseJson } from '../api/json.ts';
import { FIELD_MANAGER, LABEL } from '../api/names.ts';
import type { KubeObject, ObjectRef } from '../api/object.ts';
import type { Revision, RevisionSpec } from '../api/revision.ts';
import { digestOf } from '../oci/digest.ts';

/** Bytes of a piece before base64: Secrets are limited to 1 MiB, names and metadata included. */
const PIECE_BYTES = 700 * 1024;

/** The most that a Revision's objects may take when they are unpacked. */
const MAX_BYTES = 64 * 1024 * 1024;

const SECRET_TYPE = 'slipway.dev/manifests';

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

/** `spec.manifests` of the Revision with that name. */
export function describeManifests(revisionName: string, packed: PackedManifests): RevisionSpec['manifests'] {
  const prefix = `${revisionName}-${packed.digest.slice('sha256:'.length, 'sha256:'.length + 8)}`;
  return {
    secrets: packed.pieces.map((_, index) => `${prefix}-${index}`),
    digest: packed.digest,
    objects: packed.objects,
  };
}

/** The Secrets that hold the pieces. They are deleted with the Revision, or with whoever owns that at the latest. */
export function manifestSecrets(revision: Revision, packed: PackedManifests): readonly KubeObject[] {
  const { metadata } = revision;
  return packed.pieces.map((piece, index) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: revision.spec.manifests.secrets[index] ?? '',
      namespace: metadata.namespace ?? '',
      labels: { [LABEL.managedBy]: FIELD_MANAGER, [LABEL.revision]: metadata.name },
      ownerReferences: metadata.ownerReferences ?? [],
    },
    type: SECRET_TYPE,
    immutable: true,
    data: { manifests: piece.toString('base64') },
  }));
}

/**
 * Reads the objects back. Throws ManifestsMissing, retried with growing delays, where a Secret is missing (the
 * Subscription's controller writes it again) or its content is not what the Revision says.
 *
 * @param handed The pieces, where they are at hand and need not be read.
 */
export async function loadManifests(
  cluster: Pick<Cluster, 'get'>,
  revision: Revision,
  handed?: readonly Buffer[],
): Promise<readonly KubeObject[]> {
  const { secrets } = revision.spec.manifests;
  const pieces = handed ?? (await Promise.all(secrets.map((name) => loadPiece(cluster, revision, name))));
  const json = await promisify(gunzip)(Buffer.concat(pieces), { maxOutputLength: MAX_BYTES }).catch(
    (cause: unknown) => {
      throw damaged(revision, 'cannot be unpacked', cause);
    },
  );
  if (digestOf(json) !== revision.spec.manifests.digest) throw damaged(revision, 'are not what their digest says');
  return parseJson(json.toString('utf8')) as KubeObject[];
}

/** Deletes the Secrets of a Revision that goes; the garbage collector would take a minute to do the same. */
export async function deleteManifests(cluster: Pick<Cluster, 'delete'>, revision: Revision): Promise<void> {
  const { namespace = '' } = revision.metadata;
  await Promise.all(
    revision.spec.manifests.secrets.map((name) =>
      cluster.delete({ apiVersion: 'v1', kind: 'Secret', namespace, name }),
    ),
  );
}

async function loadPiece(cluster: Pick<Cluster, 'get'>, revision: Revision, name: string): Promise<Buffer> {
  const ref: ObjectRef = { apiVersion: 'v1', kind: 'Secret', namespace: revision.metadata.namespace ?? '', name };
  const secret = await cluster.get(ref);
  const data = (secret?.['data'] as { readonly manifests?: string } | undefined)?.manifests;
  if (data === undefined) throw damaged(revision, `are incomplete: Secret ${name} is missing`);
  return Buffer.from(data, 'base64');
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
