/** The finalizer that holds an object of ours until what it made is gone. */
import { FINALIZER } from '../api/names.ts';
import { refOf, type KubeObject } from '../api/object.ts';
import type { Cluster } from '../apply/cluster.ts';

export function hasFinalizer({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(FINALIZER) ?? false;
}

/** Adds the finalizer; returns the object as it is then. Throws Conflict (retried) where the object has changed. */
export async function addFinalizer<Kind extends KubeObject>(
  cluster: Pick<Cluster, 'patch'>,
  object: Kind,
): Promise<Kind> {
  if (hasFinalizer(object)) return object;
  return writeFinalizers(cluster, object, [...(object.metadata.finalizers ?? []), FINALIZER]);
}

/** Takes the finalizer off: the API server may now delete the object. */
export async function removeFinalizer(cluster: Pick<Cluster, 'patch'>, object: KubeObject): Promise<void> {
  if (!hasFinalizer(object)) return;
  await writeFinalizers(
    cluster,
    object,
    (object.metadata.finalizers ?? []).filter((name) => name !== FINALIZER),
  );
}

async function writeFinalizers<Kind extends KubeObject>(
  cluster: Pick<Cluster, 'patch'>,
  object: Kind,
  finalizers: readonly string[],
): Promise<Kind> {
  const { resourceVersion } = object.metadata;
  return (await cluster.patch(refOf(object), { metadata: { resourceVersion, finalizers } })) as Kind;
}
