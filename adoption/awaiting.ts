/** The report of Slipway's Subscription while a hand-over waits for it. Pure. */
import { findCondition, type Condition } from '../api/conditions.ts';
import type { KubeObject } from '../api/object.ts';
import { fieldsOf } from '../api/untyped.ts';

/** The sentence of the step, with the message of the condition Ready behind it. */
export function awaitingReady(sentence: string, subscription: KubeObject | undefined): string {
  const ready = readyIn(subscription);
  return ready === undefined ? sentence : `${sentence}: ${ready.message}`;
}

/** The message of the condition Ready, for a step that waits for the manager; undefined if there is none. */
export function reportOfSlipway(subscription: KubeObject | undefined): string | undefined {
  const ready = readyIn(subscription);
  return ready && `Slipway reports: ${ready.message}`;
}

function readyIn(subscription: KubeObject | undefined): Condition | undefined {
  const conditions = fieldsOf(subscription?.['status'])['conditions'] as readonly Condition[] | undefined;
  return findCondition(conditions, 'Ready');
}
