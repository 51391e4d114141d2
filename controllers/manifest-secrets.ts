/**
 * Stores the packed manifests of a Revision in Secrets beside it, reads them back and deletes them. Only a Secret of
 * our type whose controller is the Revision's Subscription is ours: any other Secret of that name is left alone.
 */
import { isAlreadyExists } from '../api/api-answers.ts';
import type { Cluster } from '../api/cluster.ts';
import { nameOnly, ownedParts } from '../apply/listed-parts.ts';
import { labelValue } from '../apply/prepare.ts';
import { ReasonedError } from '../api/errors.ts';
import { FIELD_MANAGER, LABEL } from '../api/names.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import type { Revision } from '../api/revision.ts';
import { ownerUidOf } from './owner.ts';
import { uidOf } from './preconditions.ts';

export const SECRET_TYPE = 'slipway.dev/manifests';

/** The names of a Revision's Secrets: equal names mean equal contents. */
export function secretNames(revisionName: string, digest: string, count: number): readonly string[] {
  const prefix = `${revisionName}-${digest.slice('sha256:'.length, 'sha256:'.length + 8)}`;
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

/** The Secrets that hold the pieces. They are deleted with the Revision, or at the latest with its Subscription. */
export function manifestSecrets(revision: Revision, pieces: readonly Buffer[]): readonly KubeObject[] {
  const { metadata } = revision;
  return pieces.map((piece, index) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: revision.spec.manifests.secrets[index] ?? '',
      namespace: metadata.namespace ?? '',
      labels: { [LABEL.managedBy]: FIELD_MANAGER, [LABEL.revision]: labelValue(metadata.name) },
      ownerReferences: metadata.ownerReferences ?? [],
    },
    type: SECRET_TYPE,
    immutable: true,
    data: { manifests: piece.toString('base64') },
  }));
}

/**
 * Writes the Secrets of a Revision. One of ours with other content, put there by another writer, is replaced. Throws
 * Collision (retried) for a Secret of another type: it belongs to a person.
 */
export async function storeManifests(
  cluster: Pick<Cluster, 'get' | 'create' | 'delete'>,
  revision: Revision,
  pieces: readonly Buffer[],
): Promise<void> {
  for (const secret of manifestSecrets(revision, pieces)) {
    try {
      await cluster.create(secret);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await replaceUnlessEqual(cluster, secret);
    }
  }
}

async function replaceUnlessEqual(
  cluster: Pick<Cluster, 'get' | 'create' | 'delete'>,
  secret: KubeObject,
): Promise<void> {
  const live = await cluster.get(refOf(secret));
  if (live !== undefined && live['type'] !== SECRET_TYPE) throw foreign(secret);
  if (live !== undefined && isOurs(live, secret) && dataOf(live) === dataOf(secret)) return;
  // An immutable Secret cannot be corrected in place.
  if (live !== undefined) await cluster.delete(refOf(live), uidOf(live));
  await cluster.create(secret);
}

function foreign(secret: KubeObject): ReasonedError {
  return new ReasonedError({
    reason: 'Collision',
    retry: 'backoff',
    message: `${describeRef(refOf(secret))} is to hold the manifests of a Revision, and exists with another type than ${SECRET_TYPE}`,
    hint: 'Delete it, or give it another name',
  });
}

/** The piece that a Secret holds, or a text that says why it holds none. Throws the errors of the client. */
export async function readPiece(
  cluster: Pick<Cluster, 'get'>,
  revision: Revision,
  name: string,
): Promise<Buffer | string> {
  const ref: ObjectRef = { apiVersion: 'v1', kind: 'Secret', namespace: revision.metadata.namespace ?? '', name };
  const secret = await cluster.get(ref);
  if (secret === undefined) return `Secret ${name} is missing`;
  if (!isOurs(secret, revision)) return `Secret ${name} is not one that the manager wrote for it`;
  const data = dataOf(secret);
  return data === undefined ? `Secret ${name} is empty` : Buffer.from(data, 'base64');
}

/**
 * Deletes the Secrets of a Revision that is being deleted; the garbage collector would take a minute to do the same.
 * One list, without contents, finds the Secrets of our type; any other Secret of such a name stays.
 */
export async function deleteManifests(cluster: Pick<Cluster, 'list' | 'delete'>, revision: Revision): Promise<void> {
  const { namespace = '', name } = revision.metadata;
  const named = new Set(revision.spec.manifests.secrets);
  const isNamed = ({ metadata }: KubeObject): boolean => named.has(metadata.name);
  const stored = await cluster.list(
    { apiVersion: 'v1', kind: 'Secret' },
    {
      namespace,
      labelSelector: `${LABEL.revision}=${labelValue(name)}`,
      fieldSelector: `type=${SECRET_TYPE}`,
      metadataOnly: true,
      keep: (secret) => (isNamed(secret) ? ownedParts(secret) : nameOnly(secret)),
    },
  );
  const ours = stored.filter((secret) => isNamed(secret) && ownerUidOf(secret) === ownerUidOf(revision));
  await Promise.all(
    ours.map((secret) =>
      cluster.delete({ apiVersion: 'v1', kind: 'Secret', namespace, name: secret.metadata.name }, uidOf(secret)),
    ),
  );
}

/** Whether a Secret is of our type, and belongs to the same Subscription as the other object. */
function isOurs(secret: KubeObject, other: KubeObject): boolean {
  const uid = ownerUidOf(other);
  return secret['type'] === SECRET_TYPE && uid !== undefined && ownerUidOf(secret) === uid;
}

function dataOf(secret: KubeObject): string | undefined {
  return (secret['data'] as { readonly manifests?: string } | undefined)?.manifests;
}
