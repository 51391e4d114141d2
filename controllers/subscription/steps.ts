/**
 * Which step of a path an upgrade is at: the resolver gives the steps that are left, the status those that are done.
 * Pure.
 */
import { MAX_STEPS, type SubscriptionStatus } from '../../api/subscription-status.ts';
import type { ResolvedPlan } from './decide.ts';

export interface Steps {
  readonly step: number;
  readonly steps: number;
}

/** @param pending The previous next step. Undefined if the path has one step, or nothing is to be installed. */
export function stepsOf(
  pending: SubscriptionStatus['pending'],
  { decision, installed }: Pick<ResolvedPlan, 'decision' | 'installed'>,
): Steps | undefined {
  if (decision.kind !== 'upgrade') return undefined;
  const done = stepsDone(pending, installed?.spec.bundle);
  const steps = Math.min(MAX_STEPS, done + decision.path.length);
  return steps > 1 ? { step: Math.min(steps, done + 1), steps } : undefined;
}

/** A step is done once its bundle is installed. */
function stepsDone(pending: SubscriptionStatus['pending'], installed: string | undefined): number {
  if (pending === undefined) return 0;
  const { step = 1, bundle } = pending;
  return bundle === installed ? step : step - 1;
}

/** ` (step 2 of 6 to gadget.v2.0.0)`, or nothing. */
export function describeSteps(steps: Steps | undefined, { decision }: Pick<ResolvedPlan, 'decision'>): string {
  if (steps === undefined || decision.kind === 'none') return '';
  return ` (step ${steps.step} of ${steps.steps} to ${decision.bundle.name})`;
}
