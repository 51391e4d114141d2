/** The report of Slipway's Subscription while a hand-over waits for it. Pure. */
import { findCondition, type Condition } from '../api/conditions.ts';
import type { KubeObject } from '../api/object.ts';
import { fieldsOf } from '../api/untyped.ts';

/** The sentence of the step, with the message of the condition Ready behind it. */
export function awaitingReady(sentence: string, subscription: KubeObject | undefined): string {
  const conditions = fieldsOf(subscription?.['status'])['conditions'] as readonly Condition[] | undefined;
  const ready = findCondition(conditions, 'Ready');
  return ready === undefined ? sentence : `${sentence}: ${ready.message}`;
}
