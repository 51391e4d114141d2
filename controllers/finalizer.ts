/** The finalizer that holds an object of ours until the objects that it made are gone. */
import { FINALIZER } from '../api/names.ts';
import { refOf, type KubeObject } from '../api/object.ts';
import type { Cluster } from '../api/cluster.ts';

export function hasFinalizer({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(FINALIZER) ?? false;
}

/**
 * Adds the finalizer; returns the object with it. Throws Conflict (retried) if the object has changed.
 * @param further Metadata that is written in the same request.
 */
export async function addFinalizer<Kind extends KubeObject>(
  cluster: Pick<Cluster, 'patch'>,
  object: Kind,
  further: Pick<KubeObject['metadata'], 'ownerReferences'> = {},
): Promise<Kind> {
  if (hasFinalizer(object)) return object;
  return writeMetadata(cluster, object, { ...further, finalizers: [...(object.metadata.finalizers ?? []), FINALIZER] });
}

/** Takes the finalizer off: the API server may now delete the object. */
export async function removeFinalizer(cluster: Pick<Cluster, 'patch'>, object: KubeObject): Promise<void> {
  if (!hasFinalizer(object)) return;
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== FINALIZER);
  await writeMetadata(cluster, object, { finalizers });
}

async function writeMetadata<Kind extends KubeObject>(
  cluster: Pick<Cluster, 'patch'>,
  object: Kind,
  metadata: Pick<KubeObject['metadata'], 'finalizers' | 'ownerReferences'>,
): Promise<Kind> {
  const { resourceVersion } = object.metadata;
  return (await cluster.patch(refOf(object), { metadata: { resourceVersion, ...metadata } })) as Kind;
}
