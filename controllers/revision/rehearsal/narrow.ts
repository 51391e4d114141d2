/** A Service that selects only some Pods of a Deployment while it has old and new ones. Pure. */
import { ANNOTATION } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import { POD_HASH } from '../../../apply/held-back.ts';
import { fieldsOf } from '../../../api/untyped.ts';

/** The Pods that the Service selects: the old ones during the `rehearsal`, or the new ones once they are `letIn`. */
export type ChosenPods = 'rehearsal' | 'letIn';

export interface Narrowing {
  readonly chosen: ChosenPods;
  /** The hash of the Pods that the Service selects. */
  readonly hash: string;
  /** The ports of these Pods, if they differ from those of the Service. */
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

/**
 * The hash of the Pods that a live Service selects exclusively; undefined if it selects others too. Needs its metadata
 * only.
 */
export function narrowedTo(live: KubeObject | undefined, chosen: ChosenPods): string | undefined {
  return live?.metadata.annotations?.[ANNOTATION[chosen]];
}
