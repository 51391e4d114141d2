/** What apply/ needs of a cluster; kube/'s client is one, and a test may pass plain functions. */
import type { KubeObject, ObjectRef, ServedAs } from '../api/object.ts';

export interface ApplyOptions {
  /** Take over fields that another manager owns. */
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /** Answer with the metadata only, of a large object of which nothing else is read. */
  readonly metadataOnly?: boolean;
  /** As the CRD of the kind says; absent: the client looks it up. */
  readonly served?: ServedAs;
}

export interface CreateOptions {
  readonly dryRun?: boolean;
  /** As the CRD of the kind says; absent: the client looks it up. */
  readonly served?: ServedAs;
}

export interface DeleteOptions {
  /** Delete only the very object that was seen. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  /** Deletes nothing: says whether it would be refused. */
  readonly dryRun?: boolean;
}

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** No more than so many are needed; a client may give more. */
  readonly limit?: number;
  /** Answer with the metadata only. */
  readonly metadataOnly?: boolean;
}

/** Reads and writes objects as raw JSON. Every method throws ReasonedError; `signal` aborts for good. */
export interface Cluster {
  /** The object, or undefined where it does not exist (neither the kind nor the object). */
  get(ref: ObjectRef, signal?: AbortSignal): Promise<KubeObject | undefined>;
  list(
    kind: Pick<ObjectRef, 'apiVersion' | 'kind'>,
    options?: ListOptions,
    signal?: AbortSignal,
  ): Promise<readonly KubeObject[]>;
  /** Creates with the field manager `slipway`; AlreadyExists is an ApiError with code 409 (see api-failure.ts). */
  create(object: KubeObject, options?: CreateOptions, signal?: AbortSignal): Promise<KubeObject>;
  /** Server-side apply with the field manager `slipway`. */
  apply(object: KubeObject, options?: ApplyOptions, signal?: AbortSignal): Promise<KubeObject>;
  /** JSON merge patch; with `resourceVersion` inside the patch it is optimistic. */
  patch(
    ref: ObjectRef,
    patch: Readonly<Record<string, unknown>>,
    options?: { readonly subresource?: string },
    signal?: AbortSignal,
  ): Promise<KubeObject>;
  /** Deletes; an object that is gone already is a success. Returns the object while finalizers hold it. */
  delete(ref: ObjectRef, options?: DeleteOptions, signal?: AbortSignal): Promise<KubeObject | undefined>;
  /**
   * Whether objects of the kind live in a namespace; undefined where the kind is not served. Throws where
   * discovery is incomplete for the group: what cannot be asked is not absent.
   */
  isNamespaced(kind: Pick<ObjectRef, 'apiVersion' | 'kind'>, signal?: AbortSignal): Promise<boolean | undefined>;
}
