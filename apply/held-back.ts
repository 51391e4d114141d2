/**
 * Holds a Deployment's roll-out back once its first new Pod is ready: nothing of what works is taken away before
 * somebody has looked at the new Pod. By fields of the Deployment alone, none of them in the Pod's template, so that
 * going on or back starts no Pod anew. Pure.
 */
import { ANNOTATION } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';
import { fieldsOf, numberOf, type Fields } from './untyped.ts';

/** The label that tells the Pods of one template from those of another. */
export const POD_HASH = 'pod-template-hash';

/**
 * For how long a Pod must be ready before it replaces another. To look at it takes seconds; where nobody ends that, the
 * roll-out goes on by itself after this time.
 */
export const HOLD_SECONDS = 300;
/** What a Deployment says where it says nothing. */
const DEFAULT_DEADLINE_SECONDS = 600;

/** Whether new Pods can come before old ones go. */
export function canBeHeldBack(deployment: KubeObject): boolean {
  const strategy = fieldsOf(fieldsOf(deployment['spec'])['strategy']);
  const { maxSurge } = fieldsOf(strategy['rollingUpdate']);
  return strategy['type'] !== 'Recreate' && maxSurge !== 0 && maxSurge !== '0%';
}

/** @param hash Of the Pods that work, which are kept. */
export function holdBack(deployment: KubeObject, hash: string): KubeObject {
  const { metadata } = deployment;
  const spec = fieldsOf(deployment['spec']);
  const rollingUpdate = { ...fieldsOf(fieldsOf(spec['strategy'])['rollingUpdate']), maxUnavailable: 0 };
  const held = {
    minReadySeconds: HOLD_SECONDS + (numberOf(spec['minReadySeconds']) ?? 0),
    progressDeadlineSeconds: HOLD_SECONDS + (numberOf(spec['progressDeadlineSeconds']) ?? DEFAULT_DEADLINE_SECONDS),
    strategy: { type: 'RollingUpdate', rollingUpdate },
  };
  const annotations = { ...metadata.annotations, [ANNOTATION.rehearsal]: hash };
  return { ...deployment, metadata: { ...metadata, annotations }, spec: { ...spec, ...held } };
}

/** Hash of the Pods for which a live Deployment is held back; undefined where it is not. */
export function heldFor(live: KubeObject | undefined): string | undefined {
  return live?.metadata.annotations?.[ANNOTATION.rehearsal];
}

/** Whether a new Pod is ready: ready and, for it is held back, not available. */
export function hasNewPod(status: Fields): boolean {
  return countIn(status, 'readyReplicas') > countIn(status, 'availableReplicas') || isAllNew(status);
}

/** Whether all Pods are of the newest template already, so that no new one will come. */
export function isAllNew(status: Fields): boolean {
  const updated = countIn(status, 'updatedReplicas');
  return updated > 0 && updated === countIn(status, 'replicas');
}

function countIn(status: Fields, field: string): number {
  return numberOf(status[field]) ?? 0;
}
