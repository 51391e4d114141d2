/**
 * Slipway's Subscription as the steps of a hand-over see it. One with `spec.adopt` exists before the operator is handed over:
 * it takes part from the moment at which the manager says so in its status. Pure.
 */
import type { KubeObject } from '../../api/object.ts';
import type { Adoption, Subscription } from '../../api/subscription.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import type { Backup } from './backup.ts';

export interface SuccessorState {
  /** Absent as long as it installs nothing. */
  readonly subscription: KubeObject | undefined;
  /** Whether it is held at the version that OLM had installed. */
  readonly isPinned: boolean;
}

/** The state of the Subscription that goes on with the operator. */
export function successorOf(live: KubeObject | undefined, backup: Backup): SuccessorState {
  if (live === undefined || !isAdopting(live, backup.operator.subscription)) {
    const version = textOf(fieldsOf(live?.['spec'])['version']);
    return { subscription: live, isPinned: version === pinOf(backup) };
  }
  const { stage } = adoptionIn(live) ?? { stage: 'Preparing' };
  return { subscription: stage === 'Preparing' ? undefined : live, isPinned: stage === 'TakingOver' };
}

/** Whether the manager hands OLM's Subscription of the name over to this Subscription of Slipway. */
export function isAdopting(live: KubeObject, subscription: string): boolean {
  const wanted = textOf(fieldsOf(fieldsOf(live['spec'])['adopt'])['subscription']);
  return (adoptionIn(live)?.subscription ?? wanted) === subscription;
}

function adoptionIn(live: KubeObject): Adoption | undefined {
  return (live as Subscription).status?.adoption;
}

/** The version to which Slipway's Subscription is pinned during the hand-over. */
export function pinOf({ wanted }: Backup): string {
  return textOf(fieldsOf(wanted['spec'])['version']);
}
