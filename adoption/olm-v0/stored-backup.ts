/** The form of a backup in its Secret, which is hostile input: every field that is read later, and nothing else. Pure. */
import * as z from 'zod';
import { describeRef, refOf, type Kind, type KubeObject } from '../../api/object.ts';
import { StoredObject, StoredRef } from '../packed.ts';

/** The marks of OLM on one object. */
const StoredMarks = StoredRef.extend({
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
  ownerReferences: z.array(
    z.looseObject({ apiVersion: z.string(), kind: z.string(), name: z.string(), uid: z.string() }),
  ),
});

/** The objects of Slipway when the way back began. */
export const StoredWayBack = z.object({
  subscription: z.string(),
  revision: z.string(),
  managed: z.array(StoredRef),
  before: z.object({ objects: z.string().optional() }).optional(),
});

/** An unknown stage is the first one, in which nothing is deleted. */
export const StoredStage = z.enum(['HandingOver', 'HandedOver', 'HandingBack']).catch('HandingOver');

/** The names alone. */
export const StoredName = z.object({ operator: z.object({ namespace: z.string(), subscription: z.string() }) });

/** All of it. */
export const StoredBackup = z.object({
  operator: z.object({ namespace: z.string(), subscription: z.string(), package: z.string(), csv: z.string() }),
  adoptedBy: z.string(),
  wanted: StoredObject,
  subscription: StoredObject.optional(),
  csv: StoredObject,
  operatorCondition: StoredObject.optional(),
  objects: z.array(StoredMarks),
});

/** These objects are created as they are. Throws an error that names an object of another kind or namespace. */
export function requireKind(object: KubeObject, { apiVersion, kind }: Kind, namespace: string): void {
  const { metadata } = object;
  if (object.kind !== kind || object.apiVersion !== apiVersion || metadata.namespace !== namespace)
    throw new Error(`it would create ${describeRef(refOf(object))}`);
}
