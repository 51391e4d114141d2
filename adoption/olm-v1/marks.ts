/**
 * The marks that OLM v1 leaves on the objects of an operator, and the patch that takes them off. With an owner reference the
 * garbage collector deletes an object after the ClusterExtension. Pure.
 */
import { ANNOTATION } from '../../api/names.ts';
import type { KubeObject, OwnerReference } from '../../api/object.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { EXTENSION, HELM, OLM_PREFIX, OWNER_LABEL } from './kinds.ts';

/** Whether OLM v1 or the garbage collector still recognizes the object as one of the ClusterExtension. */
export function isMarked({ metadata }: KubeObject, extension: string): boolean {
  const { labels = {}, ownerReferences = [] } = metadata;
  return labels[OWNER_LABEL.name] === extension || ownerReferences.some((one) => isExtension(one, extension));
}

/**
 * Whether OLM has made the object for this very ClusterExtension: it is an owner of all of them, and puts them into the namespaces
 * of the operator. Each tenant can write labels and owner references, in namespaces with which the operator has nothing to do.
 */
export function isOwnedBy({ metadata }: KubeObject, extension: KubeObject): boolean {
  const { namespace, ownerReferences = [] } = metadata;
  const isPlaced = namespace === undefined || namespacesOf(extension).includes(namespace);
  return isPlaced && ownerReferences.some(({ uid }) => uid === extension.metadata.uid);
}

/** The namespace of the operator, and the one that it watches. */
function namespacesOf({ spec }: KubeObject): readonly string[] {
  const { namespace, config } = fieldsOf(spec);
  return [namespace, fieldsOf(fieldsOf(config)['inline'])['watchNamespace']].map(textOf).filter((name) => name !== '');
}

/** The other ClusterExtension whose label or owner reference the object has; undefined if there is none. */
export function otherExtension({ metadata }: KubeObject, extension: string): string | undefined {
  const { labels = {}, ownerReferences = [] } = metadata;
  const labelled = labels[OWNER_LABEL.name];
  if (labelled !== undefined && labelled !== extension) return labelled;
  return ownerReferences.find((one) => one.kind === EXTENSION.kind && !isExtension(one, extension))?.name;
}

/** Whether an owner is the ClusterExtension of this name. */
export function isExtension({ apiVersion, kind, name }: OwnerReference, extension: string): boolean {
  return kind === EXTENSION.kind && apiVersion.startsWith(OLM_PREFIX) && name === extension;
}

/**
 * The merge patch that takes all marks of OLM v1 and of its Helm off an object and hands it over to a Subscription of
 * Slipway; bound to the version that was read.
 *
 * @param adoptBy `<namespace>/<name>` of the Subscription.
 */
export function handOver(
  object: KubeObject,
  { extension, adoptBy }: { readonly extension: string; readonly adoptBy: string },
): Readonly<Record<string, unknown>> {
  const { labels = {}, annotations = {}, ownerReferences, resourceVersion } = object.metadata;
  const marks = Object.keys(labels).filter((key) => key.startsWith(OLM_PREFIX));
  const isOfHelm = labels[HELM.managedBy] === 'Helm';
  const ofHelm = HELM.annotations.filter((key) => key in annotations);
  const isOwned = ownerReferences?.some((one) => isExtension(one, extension)) === true;
  return {
    metadata: {
      resourceVersion,
      labels: absent(isOfHelm ? [...marks, HELM.managedBy] : marks),
      annotations: { ...absent(ofHelm), [ANNOTATION.adoptBy]: adoptBy },
      ...(isOwned && { ownerReferences: ownerReferences.filter((one) => !isExtension(one, extension)) }),
    },
  };
}

function absent(keys: readonly string[]): Readonly<Record<string, null>> {
  return Object.fromEntries(keys.map((key) => [key, null]));
}
