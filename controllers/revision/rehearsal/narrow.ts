/** A Service that leads to some Pods of a Deployment only, while there are others. Pure. */
import { ANNOTATION } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import { POD_HASH } from '../../../apply/held-back.ts';
import { fieldsOf } from '../../../apply/untyped.ts';

/** The Pods of before, while others are tried out; or those, once they are `letIn`. */
export type Chosen = 'rehearsal' | 'letIn';

export interface Narrowing {
  readonly chosen: Chosen;
  /** Of the Pods to which it is to lead. */
  readonly hash: string;
  /** By which they are reached, where that is otherwise than the Service says. */
  readonly ports?: unknown;
}

export function narrow(service: KubeObject, { chosen, hash, ports }: Narrowing): KubeObject {
  const { metadata } = service;
  const spec = fieldsOf(service['spec']);
  const selector = { ...fieldsOf(spec['selector']), [POD_HASH]: hash };
  const annotations = { ...metadata.annotations, [ANNOTATION[chosen]]: hash };
  const narrowed = { ...spec, selector, ...(ports !== undefined && { ports }) };
  return { ...service, metadata: { ...metadata, annotations }, spec: narrowed };
}

/** Hash of the Pods to which a live Service leads alone; undefined where it leads to others. Its metadata is enough. */
export function narrowedTo(live: KubeObject | undefined, chosen: Chosen): string | undefined {
  return live?.metadata.annotations?.[ANNOTATION[chosen]];
}
