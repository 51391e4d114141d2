/**
 * The writes of the command line as data: what is sent to the API server, so that `--dry-run=client` prints exactly
 * that. Each is a request that kubectl could send. Pure.
 */
import { API_VERSION } from '../api/names.ts';
import type { KubeObject, ObjectRef } from '../api/object.ts';

/** A JSON merge patch. It names its object, so that its text alone says to which object it applies. */
export interface Patch {
  readonly do: 'patch';
  readonly ref: ObjectRef;
  readonly body: KubeObject;
}

export interface Create {
  readonly do: 'create';
  readonly body: KubeObject;
}

/** A deletion of the very object that was read. */
export interface Delete {
  readonly do: 'delete';
  readonly ref: ObjectRef;
  readonly uid: string;
}

export type Act = Patch | Create | Delete;

/** The acts of a command and their effect in a sentence; without acts the sentence says why there is nothing to do. */
export interface Intent {
  readonly acts: readonly Act[];
  readonly message: string;
}

/** An object of Slipway that a command changes. */
export interface Changed {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name: string; readonly uid?: string };
}

interface PatchedFields {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  /** Changes only the very object that was read, and none that was made again under its name. */
  readonly sameObject?: boolean;
}

/** The patch of an object's annotations or fields; `null` removes a field. */
export function patchOf({ kind, metadata }: Changed, { annotations, spec, sameObject = false }: PatchedFields): Patch {
  const { namespace, name, uid } = metadata;
  const ref = { apiVersion: API_VERSION, kind, name, ...(namespace !== undefined && { namespace }) };
  const body = {
    apiVersion: API_VERSION,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(sameObject && uid !== undefined && { uid }),
      ...(annotations !== undefined && { annotations }),
    },
    ...(spec !== undefined && { spec }),
  };
  return { do: 'patch', ref, body };
}

/** The document that is sent for an act. */
export function documentOf(act: Act): object {
  if (act.do !== 'delete') return act.body;
  const { uid } = act;
  return { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', preconditions: { uid } };
}
