/**
 * The shape of every Kubernetes object, and references to one. Slipway handles objects as plain data, never as typed
 * models, so that unknown fields survive.
 */

/** A value of JSON; integers beyond 2^53 are bigint, see json.ts. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** `metadata.ownerReferences[]`. @see https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/ */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** `metadata`: the fields that this code reads or writes; others pass through untouched. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Any Kubernetes object: `{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: {…} }`. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** How the API server serves the objects of a kind that a CRD defines. */
export interface ServedAs {
  /** The lower-case plural of paths: `widgets`. */
  readonly plural: string;
  readonly namespaced: boolean;
}

/** Names one object; `namespace` is absent for cluster-scoped kinds. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** The kind as its CRD defines it; absent: discovery is asked, which lags behind a new CRD. */
  readonly served?: ServedAs;
}

/** Names a kind; with `served`, as its CRD defines it. */
export type Kind = Pick<ObjectRef, 'apiVersion' | 'kind' | 'served'>;

/** A kind as its CRD defines it. */
export interface DefinedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly served: ServedAs;
}

/** The reference that names an object. */
export function refOf(object: KubeObject): ObjectRef {
  const { apiVersion, kind, metadata } = object;
  return {
    apiVersion,
    kind,
    name: metadata.name,
    ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
  };
}

/** `namespace/name`, or the name alone: identifies an object among those of its kind. */
export function keyOfObject({ metadata: { namespace, name } }: Pick<KubeObject, 'metadata'>): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** `apps/v1` → `apps`; `v1` → `` (the core group). */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** `Deployment.apps`, `Secret`: kind and group as kubectl writes them. */
export function groupKind(ref: Kind): string {
  const group = groupOf(ref.apiVersion);
  return group === '' ? ref.kind : `${ref.kind}.${group}`;
}

/** `Deployment.apps ops/manager`: how messages name an object; independent of its version. */
export function describeRef(ref: ObjectRef): string {
  return `${groupKind(ref)} ${ref.namespace === undefined ? '' : `${ref.namespace}/`}${ref.name}`;
}

/** The metadata that identifies an object and its state: names, uid, versions and times. */
export function keepIdentity(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = metadata;
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(generation !== undefined && { generation }),
    ...(creationTimestamp !== undefined && { creationTimestamp }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
}
