/**
 * A cluster as Slipway reads and writes it: objects as raw JSON. The client of kube/ implements it; tests may pass plain
 * functions.
 */
import type { Kind, KubeObject, ObjectRef, ServedAs } from './object.ts';

export interface ApplyOptions {
  /** Take over fields that another manager owns. */
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /** `Strict` rejects unknown and duplicate fields. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Answer with the metadata only, for a large object whose other fields the caller does not read. */
  readonly metadataOnly?: boolean;
  /** The kind as its CRD defines it; absent: discovery is asked. */
  readonly served?: ServedAs;
}

export interface CreateOptions {
  readonly dryRun?: boolean;
  /** The kind as its CRD defines it; absent: discovery is asked. */
  readonly served?: ServedAs;
}

export interface DeleteOptions {
  /** Delete only the object with this uid. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  /** Deletes nothing: reports whether the deletion would be refused. */
  readonly dryRun?: boolean;
}

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The caller needs at most this many; a client may return more. */
  readonly limit?: number;
  /** Answer with the metadata only. */
  readonly metadataOnly?: boolean;
}

/** For a list of an unknown length, of which not all is needed. */
export interface Keeping {
  /**
   * Called for each object as soon as its page has come, and returns the part of it that the caller needs: a list of a hundred
   * thousand objects is then never whole in memory. It is given no `managedFields`. A client may return whole objects.
   */
  readonly keep?: (object: KubeObject) => KubeObject;
}

/** Reads and writes objects as raw JSON. Every method throws ApiError; `signal` aborts for good. */
export interface Cluster {
  /** The object, or undefined if the object or its kind does not exist. */
  get(ref: ObjectRef, signal?: AbortSignal): Promise<KubeObject | undefined>;
  /**
   * All objects, as one consistent list; empty if the kind is not served. A kind with `served` skips discovery, and
   * throws ApiError of code 404 if its path does not exist.
   */
  list(kind: Kind, options?: ListOptions & Keeping, signal?: AbortSignal): Promise<readonly KubeObject[]>;
  /** Creates with the field manager `slipway`; throws ApiError of code 409 if the name is in use (isAlreadyExists). */
  create(object: KubeObject, options?: CreateOptions, signal?: AbortSignal): Promise<KubeObject>;
  /** Server-side apply with the field manager `slipway`. */
  apply(object: KubeObject, options?: ApplyOptions, signal?: AbortSignal): Promise<KubeObject>;
  /** JSON merge patch; a `resourceVersion` inside the patch makes it fail if the object changed. */
  patch(
    ref: ObjectRef,
    patch: Readonly<Record<string, unknown>>,
    options?: { readonly subresource?: string; readonly dryRun?: boolean },
    signal?: AbortSignal,
  ): Promise<KubeObject>;
  /** Deletes; success if the object is gone already. Returns its metadata while finalizers hold it. */
  delete(ref: ObjectRef, options?: DeleteOptions, signal?: AbortSignal): Promise<KubeObject | undefined>;
  /**
   * Whether objects of the kind live in a namespace; undefined if the kind is not served. Throws if discovery is
   * incomplete for the group: a kind that could not be discovered may still exist.
   */
  isNamespaced(kind: Kind, signal?: AbortSignal): Promise<boolean | undefined>;
}
