/** A CRD of v1 as Go reads it, for the checks and for rendering: rendering accepts every CRD that passes the checks. */
import type { KubeObject } from '../../api/object.ts';
import type { Manifest } from '../bundle.ts';
import { decode } from './decode.ts';

export interface CrdObject extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}

export const CRD_API = 'apiextensions.k8s.io/v1';

/** Reading a large CRD takes as long as rendering all else, and a bundle may be rendered several times. */
const known = new WeakMap<Manifest, CrdObject>();

/** The CRD without the fields that Kubernetes does not have. @throws DecodeError for a field of the wrong type. */
export function readCrd(manifest: Manifest): CrdObject {
  const before = known.get(manifest);
  if (before !== undefined) return before;
  const crd = decode('CustomResourceDefinition', manifest.object) as CrdObject;
  known.set(manifest, crd);
  return crd;
}
