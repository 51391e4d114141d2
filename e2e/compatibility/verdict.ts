/** Decides from the status of a Subscription whether it has reached its final state. Pure. */
import type { Condition } from '../../api/conditions.ts';
import { condition, type Judged } from '../lib/objects.ts';

/** How it stands with a Subscription that is to run a bundle. */
export type Standing =
  | { readonly state: 'Ready' }
  /** Nothing more happens; or it waits, and its status names the reason. */
  | { readonly state: 'Stalled' | 'Waiting'; readonly reason: string; readonly message: string };

/** Only conditions about the present spec count. */
export function standingOf(subscription: Judged, bundle: string): Standing {
  const says = (type: string): Condition | undefined => {
    const said = condition(subscription, type);
    return said?.observedGeneration === subscription.metadata.generation ? said : undefined;
  };
  const installed = subscription.status?.installed as { readonly bundle?: string } | undefined;
  const [ready, working, stalled] = ['Ready', 'Reconciling', 'Stalled'].map(says);
  if (stalled !== undefined) return { state: 'Stalled', reason: stalled.reason, message: stalled.message };
  const isReady = ready?.status === 'True';
  if (isReady && installed?.bundle === bundle && working === undefined) return { state: 'Ready' };
  const said = working ?? (isReady ? says('UpgradeAvailable') : ready);
  return { state: 'Waiting', reason: said?.reason ?? 'none', message: said?.message ?? 'the status says nothing' };
}

/** Reasons of work that continues without a change: the verdict waits for its end. */
const UNDER_WAY: ReadonlySet<string> = new Set(['none', 'Progressing', 'Installing', 'Upgrading', 'UpgradeAvailable']);

/** How a trial ended. */
export type Outcome =
  | { readonly outcome: 'Ready' }
  | { readonly outcome: 'Refused' | 'Unfinished'; readonly reason: string; readonly message: string };

/** Seconds without a change after which the state of a Subscription counts as final; longer while work is under way. */
const PATIENCE = { waiting: 60, underWay: 120 } as const;

/** Undefined while more may come; `unchanged` is for how many seconds the standing has been the same. */
export function outcomeOf(standing: Standing, unchanged: number): Outcome | undefined {
  if (standing.state === 'Ready') return { outcome: 'Ready' };
  const { reason, message } = standing;
  if (standing.state === 'Stalled') return { outcome: 'Refused', reason, message };
  const isUnderWay = UNDER_WAY.has(reason);
  if (unchanged < (isUnderWay ? PATIENCE.underWay : PATIENCE.waiting)) return undefined;
  return { outcome: isUnderWay ? 'Unfinished' : 'Refused', reason, message };
}
