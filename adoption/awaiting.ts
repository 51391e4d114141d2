/** The reports of Slipway and of OLM while a hand-over waits for them. Pure. */
import { redact } from '../api/errors.ts';
import { findCondition, type Condition } from '../api/conditions.ts';
import type { KubeObject } from '../api/object.ts';
import { fieldsOf } from '../api/untyped.ts';
import { HOLD } from './olm-v0/kinds.ts';

/** The sentence of the step, with the message of the condition Ready behind it. */
export function awaitingReady(sentence: string, subscription: KubeObject | undefined): string {
  const ready = readyIn(subscription);
  return ready === undefined ? sentence : `${sentence}: ${ready.message}`;
}

/** The sentence of the step that waits for the pin, since Slipway is to take over the very version that OLM had. */
export const PIN_CHANGED =
  "Wait until spec.version of Slipway's Subscription is the version that OLM had installed; it was changed since";

/** The finalizers for which a deletion waits; undefined if there are none but that of Slipway. */
export function finalizersLeft(held: KubeObject | undefined): string | undefined {
  const others = (held?.metadata.finalizers ?? []).filter((one) => one !== HOLD);
  return others.length === 0 ? undefined : `left are ${ofOlm(others.join(', '))}`;
}

/** A sentence with reports behind it. */
export function joined(sentence: string, ...reports: readonly (string | undefined)[]): string {
  return [sentence, ...reports.filter((one) => one !== undefined)].join('; ');
}

/** OLM puts texts of registries and webhooks into its messages. */
const MOST_SHOWN = 500;

/** A text of OLM, on one line. */
export function ofOlm(text: string): string {
  const line = redact(text.replaceAll(/\s+/g, ' ').trim());
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
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
