/** A Service that leads to the Pods of before only, while those that are to replace them are tried out. Pure. */
import { ANNOTATION } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import { POD_HASH } from '../../../apply/held-back.ts';
import { fieldsOf } from '../../../apply/untyped.ts';

/** @param hash Of the Pods to which it is to lead. */
export function narrow(service: KubeObject, hash: string): KubeObject {
  const { metadata } = service;
  const spec = fieldsOf(service['spec']);
  const selector = { ...fieldsOf(spec['selector']), [POD_HASH]: hash };
  const annotations = { ...metadata.annotations, [ANNOTATION.rehearsal]: hash };
  return { ...service, metadata: { ...metadata, annotations }, spec: { ...spec, selector } };
}

/** Hash of the Pods to which a live Service leads alone; undefined where it leads to all. Its metadata is enough. */
export function narrowedTo(live: KubeObject | undefined): string | undefined {
  return live?.metadata.annotations?.[ANNOTATION.rehearsal];
}
