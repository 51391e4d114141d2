/** Objects and questions that the rules of API servers share. */
import { expect } from 'vitest';
import type { KubeObject, ObjectRef } from '../../../api/object.ts';
import type { Client } from '../../client/client.ts';

/** Exists before a rule is checked. */
export const NAMESPACE = 'rules';
export const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
/** The uid of no object. */
export const NO_UID = '00000000-0000-0000-0000-000000000000';

export function configMap(name: string, data: Readonly<Record<string, string>> = { x: '1' }): KubeObject {
  return { ...CONFIG_MAP, metadata: { name, namespace: NAMESPACE }, data };
}

export function refTo(name: string): ObjectRef {
  return { ...CONFIG_MAP, namespace: NAMESPACE, name };
}

/** The object with further metadata. */
export function withMeta(object: KubeObject, metadata: Readonly<Record<string, unknown>>): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...metadata } };
}

/** A Pod template in which an environment variable appears twice; no controller acts on it. */
export function withTwin(name: string, value: string): KubeObject {
  const env = ['0', value].map((each) => ({ name: 'TWIN', value: each }));
  const spec = { containers: [{ name: 'a', image: 'registry.example/a:1', env }] };
  const template = { metadata: { labels: { app: 'twin' } }, spec };
  return { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name, namespace: NAMESPACE }, template };
}

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
}

function managedFieldsOf({ metadata }: KubeObject): readonly ManagedFields[] {
  return (metadata as { managedFields?: readonly ManagedFields[] }).managedFields ?? [];
}

/** `slipway Apply`: who owns fields of an object. */
export function managers(object: KubeObject): readonly string[] {
  return managedFieldsOf(object).map(({ manager = '', operation = '' }) => `${manager} ${operation}`);
}

/** The error that a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('nothing was refused'),
    (error: unknown) => error,
  );
}

/** Hands the fields that our manager wrote plainly to its applies. */
export function handOver(client: Client, object: KubeObject): Promise<KubeObject> {
  const managedFields = managedFieldsOf(object).map((entry) => ({ ...entry, operation: 'Apply' }));
  const { resourceVersion } = object.metadata;
  return client.patch(refTo(object.metadata.name), { metadata: { managedFields, resourceVersion } });
}
