/**
 * Holds a Deployment's rollout back once its first new Pods are ready: no working Pod is deleted before the new ones
 * are proved. Changes only fields of the Deployment outside of the Pod template, so that neither going on nor going
 * back restarts a Pod. Pure.
 */
import { ANNOTATION } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';
import { fieldsOf, numberOf, textOf, type Fields } from '../api/untyped.ts';

/** The label with the hash of a Pod's template. */
export const POD_HASH = 'pod-template-hash';

/** Longer than any Pod runs: the rollout must not go on by itself, since a Service may select the old Pods only. */
const HOLD_SECONDS = 1_000_000_000;
/** Acts as no deadline; has to exceed the time above. */
const NO_DEADLINE_SECONDS = 2_147_483_647;

/** Whether the rollout creates a new Pod before it deletes an old one, and there are replicas. */
export function canBeHeldBack(deployment: KubeObject): boolean {
  const spec = fieldsOf(deployment['spec']);
  const replicas = numberOf(spec['replicas']) ?? 1;
  const strategy = fieldsOf(spec['strategy']);
  const { maxSurge = '25%', maxUnavailable = '25%' } = fieldsOf(strategy['rollingUpdate']);
  if (strategy['type'] === 'Recreate' || replicas === 0) return false;
  return Math.ceil(countOf(maxSurge, replicas)) > 0 && Math.floor(countOf(maxUnavailable, replicas)) === 0;
}

/**
 * A number, or a percentage of the replicas. @see
 * https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#max-surge
 */
function countOf(value: unknown, replicas: number): number {
  const percent = /^(?<part>\d+)%$/.exec(textOf(value))?.groups?.['part'];
  return percent === undefined ? (numberOf(value) ?? 0) : (Number(percent) * replicas) / 100;
}

/** @param hash Template hash of the working Pods, which are kept. */
export function holdBack(deployment: KubeObject, hash: string): KubeObject {
  const { metadata } = deployment;
  const annotations = { ...metadata.annotations, [ANNOTATION.rehearsal]: hash };
  const held = { minReadySeconds: HOLD_SECONDS, progressDeadlineSeconds: NO_DEADLINE_SECONDS };
  return { ...deployment, metadata: { ...metadata, annotations }, spec: { ...fieldsOf(deployment['spec']), ...held } };
}

/** Template hash of the Pods for which a live Deployment is held back; undefined if it is not held back. */
export function heldFor(live: Pick<KubeObject, 'metadata'> | undefined): string | undefined {
  return live?.metadata.annotations?.[ANNOTATION.rehearsal];
}

/** The fields that undo holdBack in a merge patch, in which absent fields keep their value. */
export function unheld({ kind }: KubeObject): { readonly annotations: Fields; readonly spec: Fields } {
  const annotations = { [ANNOTATION.rehearsal]: null, [ANNOTATION.letIn]: null };
  if (kind === 'Deployment') return { annotations, spec: { minReadySeconds: null, progressDeadlineSeconds: null } };
  return { annotations, spec: {} };
}

/**
 * Whether a new Pod may be ready: one is ready but, because it is held back, not available. If all Pods have the newest
 * template already, no new one will be created.
 */
export function hasNewPod(status: Fields): boolean {
  const [updated, total, ready, available] = ['updatedReplicas', 'replicas', 'readyReplicas', 'availableReplicas'].map(
    (field) => numberOf(status[field]) ?? 0,
  ) as [number, number, number, number];
  return updated > 0 && (ready > available || total === updated);
}
