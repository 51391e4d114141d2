/**
 * The parts of its maker that an object keeps when a Subscription takes it over: an apply sets the fields of the manifest and
 * leaves all others, as it must for those of autoscalers. Pure; called by settle-write.ts after the write.
 */
import { ANNOTATION, FIELD_MANAGER } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';
import { listOf, textOf } from '../api/untyped.ts';
import { withConversion } from './crd-conversion.ts';
import { unsetFields } from './unset-fields.ts';

export interface TakenOver {
  /** They hold a later deletion. */
  readonly finalizers: readonly string[];
  /**
   * Paths such as `spec.names.shortNames`, of a cluster-scoped object: others than those who install may create it. In a
   * namespace the API server's defaults, which belong to the maker too, would be most of them.
   */
  readonly fields: readonly string[];
}

/** @param answer The object after the write, at least its metadata. */
export function keptByMaker(object: KubeObject, { metadata }: KubeObject): TakenOver {
  const { namespace, finalizers = [] } = metadata;
  const { managedFields } = metadata as { readonly managedFields?: unknown };
  const others = listOf(managedFields).filter(
    ({ manager, operation, subresource }) =>
      !(manager === FIELD_MANAGER && operation === 'Apply') && textOf(subresource) === '',
  );
  const wanted = withConversion(object);
  const paths = namespace !== undefined ? [] : others.flatMap(({ fieldsV1 }) => unsetFields(fieldsV1, wanted));
  const fields = [...new Set(paths)].filter((path) => !TOLD.some((start) => path.startsWith(start))).sort();
  return { finalizers, fields };
}

/** Claims, the note of `kubectl apply`, and the fields that are judged or named by themselves. */
const TOLD: readonly string[] = [
  ...[ANNOTATION.adoptBy, 'kubectl.kubernetes.io/last-applied-configuration'].map(
    (key) => `metadata.annotations.${key}`,
  ),
  'metadata.finalizers',
  'metadata.ownerReferences',
  'status',
];
