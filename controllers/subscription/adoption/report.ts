/** The status of a Subscription that adopts an operator: the field `adoption`, and the conditions. Pure. */
import { findCondition, replaceConditions, setCondition, type NextCondition } from '../../../api/conditions.ts';
import type { Reason } from '../../../api/reasons.ts';
import type { Subscription } from '../../../api/subscription.ts';
import type { Adoption, SubscriptionStatus } from '../../../api/subscription-status.ts';
import type { EventFacts } from '../../events.ts';

/** What is to be said about an adoption now. */
export interface AdoptionReport {
  readonly adoption: Adoption | undefined;
  readonly reason: Reason;
  readonly message: string;
  /** Whether the Subscription installs nothing until the operator is taken over. */
  readonly holds: boolean;
}

/** Reasons with which the manager waits for a person. */
const STOPPED: ReadonlySet<string> = new Set<Reason>(['AdoptionRefused', 'Forbidden', 'InputInvalid', 'Collision']);

/**
 * The status with the report. As long as the Subscription installs nothing, Ready says the same as Adopted; afterwards Ready
 * is about the operator.
 */
export function withReport(subscription: Subscription, report: AdoptionReport, now: Date): SubscriptionStatus {
  const { adoption, reason, message, holds } = report;
  const { metadata, status } = subscription;
  const observedGeneration = metadata.generation ?? 0;
  const adopted: NextCondition = { type: 'Adopted', status: reason === 'Adopted' ? 'True' : 'False', reason, message };
  const base = { ...status, ...(adoption !== undefined && { adoption }) };
  if (!holds) return { ...base, conditions: setCondition(status?.conditions, { ...adopted, observedGeneration }, now) };
  const ready: NextCondition = { type: 'Ready', status: 'False', reason, message };
  const progress: NextCondition = {
    type: STOPPED.has(reason) ? 'Stalled' : 'Reconciling',
    status: 'True',
    reason,
    message,
  };
  const conditions = replaceConditions(status?.conditions, [adopted, ready, progress], { observedGeneration, now });
  return { ...base, observedGeneration, conditions };
}

/** The event for a report, if it says more than the step: the beginning of a stage, the end, and each obstacle. */
export function eventOf({ status }: Pick<Subscription, 'status'>, report: AdoptionReport): EventFacts | undefined {
  const before = findCondition(status?.conditions, 'Adopted');
  const { adoption, reason, message: note } = report;
  const isNewStage = status?.adoption?.stage !== adoption?.stage || before === undefined;
  if (reason === 'Adopting' && !isNewStage) return undefined;
  if (before?.reason === reason && before.message === note) return undefined;
  const type = reason === 'Adopting' || reason === 'Adopted' ? 'Normal' : 'Warning';
  return { type, reason, action: 'Adopt', note };
}
