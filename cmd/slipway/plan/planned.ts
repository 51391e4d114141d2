/** The gathered input of plans, wherever it comes from. */
import type { PlanInput } from '../../../plan/input.ts';

export interface Planned {
  /** `namespace/name` */
  readonly subscription: string;
  readonly package: string;
  /** The decision in words: the only text if nothing is to be done. */
  readonly message: string;
  /** One for each step, in order; none if nothing is to be done. */
  readonly inputs: readonly PlanInput[];
}
