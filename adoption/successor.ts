/**
 * Slipway's Subscription as the steps of a hand-over see it. One with `spec.adopt` exists before the operator is handed over:
 * it takes part from the moment at which the manager says so in its status. Pure.
 */
import type { KubeObject } from '../api/object.ts';
import type { Subscription } from '../api/subscription.ts';
import type { SubscriptionSpec } from '../api/subscription-spec.ts';
import type { Adoption } from '../api/subscription-status.ts';
import { fieldsOf, textOf } from '../api/untyped.ts';

/** An operator by the object of OLM that a person names. */
export interface AdoptedOperator {
  readonly from: NonNullable<SubscriptionSpec['adopt']>['from'];
  /** Name of OLM's Subscription, or of the ClusterExtension. */
  readonly name: string;
}

/** The arguments of `slipway adopt run` and `slipway adopt undo`, for the Subscription of Slipway beside it. */
export function argumentsFor({ namespace = '' }: Subscription['metadata'], { from, name }: AdoptedOperator): string {
  return from === 'OLMv0' ? `${namespace}/${name}` : `${name} --from olm-v1`;
}

/** A Subscription of Slipway that exists before it takes the operator over. */
export interface Successor {
  /** From now on it applies the version that OLM had installed, and no other one. */
  begin(version: string): Promise<void>;
  /** From now on it is upgraded like any other. */
  free(): Promise<void>;
}

export interface SuccessorState {
  /** Absent as long as it installs nothing. */
  readonly subscription: KubeObject | undefined;
  /** Whether it is held at the version that OLM had installed. */
  readonly isPinned: boolean;
}

/**
 * The state of the Subscription that goes on with the operator.
 *
 * @param pin The version that OLM had installed.
 */
export function successorOf(live: KubeObject | undefined, operator: AdoptedOperator, pin: string): SuccessorState {
  if (live === undefined || !isAdopting(live, operator)) {
    const version = textOf(fieldsOf(live?.['spec'])['version']);
    return { subscription: live, isPinned: version === pin };
  }
  const { stage } = adoptionIn(live) ?? { stage: 'Preparing' };
  return { subscription: stage === 'Preparing' ? undefined : live, isPinned: stage === 'TakingOver' };
}

/** Whether the manager hands the operator over to this Subscription of Slipway. */
export function isAdopting(live: KubeObject, { from, name }: AdoptedOperator): boolean {
  const named = operatorIn(adoptionIn(live) ?? fieldsOf(live['spec'])['adopt']);
  return named?.from === from && named.name === name;
}

/** The operator that `spec.adopt` or `status.adoption` names. */
export function operatorIn(named: unknown): AdoptedOperator | undefined {
  const { subscription, clusterExtension } = fieldsOf(named);
  if (textOf(clusterExtension) !== '') return { from: 'OLMv1', name: textOf(clusterExtension) };
  return textOf(subscription) === '' ? undefined : { from: 'OLMv0', name: textOf(subscription) };
}

function adoptionIn(live: KubeObject): Adoption | undefined {
  return (live as Subscription).status?.adoption;
}

/** The version to which Slipway's Subscription is pinned during a hand-over, by the backup. */
export function pinOf({ wanted }: { readonly wanted: KubeObject }): string {
  return textOf(fieldsOf(wanted['spec'])['version']);
}
