/** Builds the API path of an object or collection. Pure. */
import { ReasonedError } from '../../api/errors.ts';
import { groupKind, type ObjectRef } from '../../api/object.ts';

/** A kind as the API server serves it. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  /** The lower-case plural of paths: `deployments`. */
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** `status`, `scale`, … */
  readonly subresources: readonly string[];
}

/** `/apis/apps/v1/namespaces/ops/deployments`; without a namespace those of all namespaces. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const { apiVersion, plural, namespaced } = resource;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const within = namespaced && namespace !== undefined ? `/namespaces/${segment(namespace, resource)}` : '';
  return `${root}${within}/${plural}`;
}

/**
 * `/apis/apps/v1/namespaces/ops/deployments/manager/status`. Throws ReasonedError(ObjectInvalid, never) if the name is
 * invalid, or a namespace is missing.
 */
export function objectPath(resource: Resource, ref: ObjectRef, subresource?: string): string {
  if (resource.namespaced && ref.namespace === undefined) {
    throw invalid(`${groupKind(resource)} ${ref.name} needs a namespace`);
  }
  const tail = subresource === undefined ? '' : `/${segment(subresource, resource)}`;
  return `${collectionPath(resource, ref.namespace)}/${segment(ref.name, resource)}${tail}`;
}

/** An empty name would address the whole collection, and `..` another one. */
function segment(text: string, resource: Resource): string {
  if (text === '' || text === '.' || text === '..' || /[/%]/.test(text) || text.length > 253) {
    throw invalid(`${groupKind(resource)} cannot be named ${JSON.stringify(text.slice(0, 253))}`);
  }
  return encodeURIComponent(text);
}

function invalid(message: string): ReasonedError {
  return new ReasonedError({ reason: 'ObjectInvalid', retry: 'never', message });
}
