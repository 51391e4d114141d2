/** Facts about objects from watches, so that unchanged objects need no request. */
import type { KubeObject, ObjectRef } from '../api/object.ts';
import type { InventoryEntry } from './inventory.ts';

export interface Watched {
  /** A watch's copy of an object; undefined if the object does not exist, or no watch follows it. */
  get(ref: ObjectRef): KubeObject | undefined;
  /** Whether a watch of all objects of the kind knows of none with this name: it is created without reading it first. */
  isAbsent(ref: ObjectRef): boolean;
  /** Whether a watch saw no change since the object was applied: it is not applied again. */
  isIntact(entry: InventoryEntry): boolean;
}

/** No watch follows anything: every object is read, and applied again. */
export const UNWATCHED: Watched = { get: () => undefined, isAbsent: () => false, isIntact: () => false };

/** The newer of the watch's copy and the write's answer: the watch may lag behind a recent write. */
export function newerOf(observed: KubeObject | undefined, answered: KubeObject | undefined): KubeObject | undefined {
  if (observed === undefined || answered === undefined) return answered ?? observed;
  const sameObject = observed.metadata.uid === answered.metadata.uid;
  return sameObject && (observed.metadata.generation ?? 0) >= (answered.metadata.generation ?? 0) ? observed : answered;
}
