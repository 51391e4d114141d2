/** Compares the objects of an export with those of an installation. */
import { hashObject } from '../../../../../apply/prepare.ts';
import type { KubeObject } from '../../../../../api/object.ts';

/** Kind, name and hash of each object, sorted; without the annotation by which helm keeps a CRD. */
export function hashesOf(objects: readonly KubeObject[]): readonly string[] {
  return objects.map((object) => `${object.kind} ${object.metadata.name} ${hashObject(withoutKeep(object))}`).sort();
}

function withoutKeep(object: KubeObject): KubeObject {
  const { 'helm.sh/resource-policy': _keep, ...annotations } = object.metadata.annotations ?? {};
  const { annotations: _all, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) } };
}
