/** A whole plan as the Secret beside the manifests of its Revision has it. */
import type { PolicyHit } from '../api/revision-plan.ts';
import type { Plan } from './model.ts';

/** The content of the Secret. */
export interface StoredPlan {
  readonly plan: Plan;
  readonly heldBy: readonly PolicyHit[];
  /** The parts that are left out; absent if it is whole. */
  readonly omitted?: string;
}
