/** The outcome of `slipway plan` as data. */
import type { Denial } from '../../../plan/deny.ts';
import type { Plan } from '../../../plan/model.ts';

/** The data that `-o json` prints. */
export interface PlanReport {
  readonly subscription: string;
  readonly package: string;
  readonly message: string;
  /** One for each step. */
  readonly plans: readonly Plan[];
  /** The rules of --deny that a plan hits. */
  readonly denied: readonly Denial[];
}
