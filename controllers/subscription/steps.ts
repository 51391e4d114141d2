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

/** @param status The previous status. Undefined if the path has one step, or nothing is to be installed. */
export function stepsOf(
  status: Progress | undefined,
  { decision, installed }: Pick<ResolvedPlan, 'decision' | 'installed'>,
): Steps | undefined {
  if (decision.kind !== 'upgrade') return undefined;
  const done = stepsDone(status, installed?.spec.bundle);
  const steps = Math.min(MAX_STEPS, done + decision.path.length);
  return steps > 1 ? { step: Math.min(steps, done + 1), steps } : undefined;
}

/** The step that led to the installed version, while another configuration of it is applied; undefined before the first. */
export function stepsBehind(
  status: Progress | undefined,
  plan: Pick<ResolvedPlan, 'decision' | 'installed'>,
): Steps | undefined {
  const { step, steps } = stepsOf(status, plan) ?? { step: 1, steps: 1 };
  return step > 1 ? { step: step - 1, steps } : undefined;
}

type Progress = Pick<SubscriptionStatus, 'pending' | 'installed'>;

/** A step is done once its bundle is installed. */
function stepsDone({ pending, installed: before }: Progress = {}, installed: string | undefined): number {
  if (pending === undefined) return 0;
  const { step, bundle } = pending;
  // Another configuration of the installed bundle is no step.
  if (bundle === before?.bundle) return step ?? 0;
  return bundle === installed ? (step ?? 1) : (step ?? 1) - 1;
}

/** ` (step 2 of 6 to gadget.v2.0.0)`, or nothing. */
export function describeSteps(steps: Steps | undefined, { decision }: Pick<ResolvedPlan, 'decision'>): string {
  if (steps === undefined || decision.kind === 'none') return '';
  return ` (step ${steps.step} of ${steps.steps} to ${decision.bundle.name})`;
}
