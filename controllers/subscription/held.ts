/** Why a chosen Revision does not become active now. */
import type { Reason } from '../../api/reasons.ts';
import type { DependencyStep } from '../../resolver/decision.ts';

export interface Hold {
  readonly reason: Extract<
    Reason,
    | 'ApprovalRequired'
    | 'ApprovalVoid'
    | 'AwaitingApproval'
    | 'Planning'
    | 'PlanFailed'
    | 'OperatorNotUpgradeable'
    | 'OutsideWindow'
    | 'DependencyNotReady'
    | 'InvalidSpec'
  >;
  /** The cause of the wait, as the rest of a sentence that begins with the bundle. */
  readonly message: string;
  /** The time at which it ends by itself. */
  readonly until?: Date;
  /** Dependencies that must be installed first and that no Subscription requests yet. */
  readonly missing: readonly DependencyStep[];
  /** Whether one of the dependencies makes no progress before a person acts. */
  readonly needsPerson?: true;
}
