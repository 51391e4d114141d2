/**
 * Holds a Deployment's roll-out back once its first new Pods are ready: nothing of what works is taken away before
 * somebody has looked at them. By fields of the Deployment alone, none of them in the Pods' template, so that going on or
 * back starts no Pod anew. Pure.
 */
import { ANNOTATION } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';
import { fieldsOf, numberOf, textOf, type Fields } from './untyped.ts';

/** The label that tells the Pods of one template from those of another. */
export const POD_HASH = 'pod-template-hash';

/** Longer than any Pod lives: nothing goes on by itself, since a Service may lead to the old Pods alone. */
const HOLD_SECONDS = 1_000_000_000;
/** Means that there is none, and has to be more than the time above. */
const NO_DEADLINE_SECONDS = 2_147_483_647;

/** Whether Kubernetes itself makes a new Pod before it takes an old one away, and there are any. */
export function canBeHeldBack(deployment: KubeObject): boolean {
  const spec = fieldsOf(deployment['spec']);
  const replicas = numberOf(spec['replicas']) ?? 1;
  const strategy = fieldsOf(spec['strategy']);
  const { maxSurge = '25%', maxUnavailable = '25%' } = fieldsOf(strategy['rollingUpdate']);
  if (strategy['type'] === 'Recreate' || replicas === 0) return false;
  return Math.ceil(countOf(maxSurge, replicas)) > 0 && Math.floor(countOf(maxUnavailable, replicas)) === 0;
}

/** A number, or a part of the replicas. @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#max-surge */
function countOf(value: unknown, replicas: number): number {
  const percent = /^(?<part>\d+)%$/.exec(textOf(value))?.groups?.['part'];
  return percent === undefined ? (numberOf(value) ?? 0) : (Number(percent) * replicas) / 100;
}

/** @param hash Of the Pods that work, which are kept. */
export function holdBack(deployment: KubeObject, hash: string): KubeObject {
  const { metadata } = deployment;
  const annotations = { ...metadata.annotations, [ANNOTATION.rehearsal]: hash };
  const held = { minReadySeconds: HOLD_SECONDS, progressDeadlineSeconds: NO_DEADLINE_SECONDS };
  return { ...deployment, metadata: { ...metadata, annotations }, spec: { ...fieldsOf(deployment['spec']), ...held } };
}

/** Hash of the Pods for which a live Deployment is held back; undefined where it is not. */
export function heldFor(live: Pick<KubeObject, 'metadata'> | undefined): string | undefined {
  return live?.metadata.annotations?.[ANNOTATION.rehearsal];
}

/** What is to be said of an object that is not held back where what is not said stays: in a merge patch. */
export function unheld({ kind }: KubeObject): { readonly annotations: Fields; readonly spec: Fields } {
  const annotations = { [ANNOTATION.rehearsal]: null, [ANNOTATION.letIn]: null };
  if (kind === 'Deployment') return { annotations, spec: { minReadySeconds: null, progressDeadlineSeconds: null } };
  return { annotations, spec: {} };
}

/**
 * Whether a new Pod may be ready: one is, and, for it is held back, not available. Where all Pods are of the newest
 * template already, no new one will come.
 */
export function hasNewPod(status: Fields): boolean {
  const [updated, total, ready, available] = ['updatedReplicas', 'replicas', 'readyReplicas', 'availableReplicas'].map(
    (field) => numberOf(status[field]) ?? 0,
  ) as [number, number, number, number];
  return updated > 0 && (ready > available || total === updated);
}
