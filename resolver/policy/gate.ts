/**
 * Says whether a decision may be carried out now, or what it waits for: `suspend`, `approval`, maintenance windows.
 * What is chosen at all (pins, `edges: Ignore`, quarantine) is the resolver's business. Called as `passGate({ decision,
 * suspend, approval, approved, windows: parseWindows(spec.windows, now), now })`, at each reconcile.
 */
import type { Reason } from '../../api/reasons.ts';
import type { Decision } from '../decision.ts';
import { eligibility, type MaintenanceWindow } from './windows.ts';

export interface GateQuestion {
  readonly decision: Decision;
  readonly suspend: boolean;
  readonly approval: 'Automatic' | 'Manual';
  /** Whether a person has approved exactly what is decided. */
  readonly approved: boolean;
  readonly windows: readonly MaintenanceWindow[];
  readonly now: Date;
}

/** What follows from a decision. */
export type Gate =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'go' }
  | {
      readonly kind: 'wait';
      readonly reason: Extract<Reason, 'Suspended' | 'ApprovalRequired' | 'OutsideWindow'>;
      readonly until?: Date;
    };

/**
 * Suspension comes before everything. A first installation waits for approval, not for a window; an upgrade waits for
 * approval, which may be given at any time, and then for a window. Going back after a failure and repairs are not
 * asked about: they never wait.
 */
export function passGate({ decision, suspend, approval, approved, windows, now }: GateQuestion): Gate {
  if (decision.kind === 'none' || decision.kind === 'upToDate') return { kind: 'nothing' };
  if (suspend) return { kind: 'wait', reason: 'Suspended' };
  if (approval === 'Manual' && !approved) return { kind: 'wait', reason: 'ApprovalRequired' };
  const state = decision.kind === 'install' ? undefined : eligibility(windows, now);
  if (state === undefined || state.open) return { kind: 'go' };
  return { kind: 'wait', reason: 'OutsideWindow', until: state.next };
}
