/**
 * Decides whether a decision may be carried out now, or waits: for `approval`, or for a maintenance window. Pins,
 * `edges: Ignore` and quarantine belong to the resolver; a suspended Subscription has no decision. Called as
 * `passGate({ kind, approval, approved, windows: parseWindows(spec.windows, now), now })`, at each reconcile.
 */
import type { Reason } from '../../api/reasons.ts';
import type { Decision } from '../decision.ts';
import { eligibility, type MaintenanceWindow } from './windows.ts';

export interface GateQuestion {
  readonly kind: Decision['kind'];
  readonly approval: 'Automatic' | 'Manual';
  /** Whether a person has approved exactly this decision. */
  readonly approved: boolean;
  readonly windows: readonly MaintenanceWindow[];
  readonly now: Date;
}

/** The next act for a decision. */
export type NextAct =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly reason: Extract<Reason, 'ApprovalRequired'> }
  | { readonly kind: 'wait'; readonly reason: Extract<Reason, 'OutsideWindow'>; readonly until: Date };

/**
 * A first installation waits for approval, not for a window; an upgrade waits for approval, which may come at any time,
 * and then for a window. Repairs, and the rollback after a failure, never wait and do not pass the gate.
 */
export function passGate({ kind, approval, approved, windows, now }: GateQuestion): NextAct {
  if (kind === 'none' || kind === 'upToDate') return { kind: 'nothing' };
  if (approval === 'Manual' && !approved) return { kind: 'wait', reason: 'ApprovalRequired' };
  const state = kind === 'install' ? undefined : eligibility(windows, now);
  if (state === undefined || state.open) return { kind: 'go' };
  return { kind: 'wait', reason: 'OutsideWindow', until: state.next };
}
