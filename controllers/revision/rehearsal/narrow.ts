/** A Service that leads to some Pods of a Deployment only, while there are others. Pure. */
import { ANNOTATION } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import { POD_HASH } from '../../../apply/held-back.ts';
import { fieldsOf } from '../../../apply/untyped.ts';

/** The Pods of before, while others are tried out; or those, once they are `letIn`. */
export type Chosen = 'rehearsal' | 'letIn';

/** @param hash Of the Pods to which it is to lead. */
export function narrow(service: KubeObject, chosen: Chosen, hash: string): KubeObject {
  const { metadata } = service;
  const spec = fieldsOf(service['spec']);
  const selector = { ...fieldsOf(spec['selector']), [POD_HASH]: hash };
  const annotations = { ...metadata.annotations, [ANNOTATION[chosen]]: hash };
  return { ...service, metadata: { ...metadata, annotations }, spec: { ...spec, selector } };
}

/** Hash of the Pods to which a live Service leads alone; undefined where it leads to others. Its metadata is enough. */
export function narrowedTo(live: KubeObject | undefined, chosen: Chosen): string | undefined {
  return live?.metadata.annotations?.[ANNOTATION[chosen]];
}
