/** The version of the manager, by its Deployment. Pure. */
import type { KubeObject } from '../api/object.ts';
import { fieldsOf, listOf, numberOf, textOf } from '../api/untyped.ts';

export interface ServerVersion {
  /** Tag of the image; the whole image if it has none. */
  readonly version: string;
  readonly image: string;
  readonly replicas: number;
  readonly ready: number;
}

/** The version of a Deployment of the manager. */
export function serverOf(deployment: KubeObject): ServerVersion {
  const spec = fieldsOf(deployment['spec']);
  const [container] = listOf(fieldsOf(fieldsOf(spec['template'])['spec'])['containers']);
  const image = textOf(container?.['image']);
  return {
    version: TAG.exec(image)?.[1] ?? image,
    image,
    replicas: numberOf(spec['replicas']) ?? 1,
    ready: numberOf(fieldsOf(deployment['status'])['readyReplicas']) ?? 0,
  };
}

/** Before a digest; a registry may have a port, behind which a slash follows. */
const TAG = /^[^@]*:([\w.-]+)(?:@.*)?$/;
