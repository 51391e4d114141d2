/**
 * Keeps OLM v0 from upgrades by a Subscription, and undoes it: with manual approval OLM plans an upgrade and installs nothing.
 * An annotation notes that the approval was automatic before, so that a person's choice is never overwritten. Pure.
 */
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf } from '../../api/untyped.ts';

/** On OLM's Subscription while it is paused. */
export const PAUSED = 'slipway.dev/adoption-paused';

const MANUAL = { installPlanApproval: 'Manual' };

/** Whether OLM upgrades nothing by it. */
export function isPaused({ metadata, spec }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined || fieldsOf(spec)['installPlanApproval'] === 'Manual';
}

/** The patch that pauses it. */
export function paused({ metadata: { resourceVersion } }: KubeObject): Readonly<Record<string, unknown>> {
  return { metadata: { resourceVersion, annotations: { [PAUSED]: 'true' } }, spec: MANUAL };
}

/** A Subscription that is paused from its creation on. */
export function createdPaused(wanted: KubeObject): KubeObject {
  if (isPaused(wanted)) return wanted;
  const { metadata, spec } = wanted;
  const annotations = { ...metadata.annotations, [PAUSED]: 'true' };
  return { ...wanted, metadata: { ...metadata, annotations }, spec: { ...fieldsOf(spec), ...MANUAL } };
}

/** Whether a hand-over or a way back has paused it. */
export function isPausedByUs({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[PAUSED] !== undefined;
}

/** The patch that gives it the automatic approval back; undefined if nothing has paused it. */
export function resumed(subscription: KubeObject): Readonly<Record<string, unknown>> | undefined {
  if (!isPausedByUs(subscription)) return undefined;
  const { resourceVersion } = subscription.metadata;
  const spec = { installPlanApproval: 'Automatic' };
  return { metadata: { resourceVersion, annotations: { [PAUSED]: null } }, spec };
}
