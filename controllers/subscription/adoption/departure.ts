/**
 * An operator on its way from OLM to a Subscription with `spec.adopt`. advance.ts follows it, whichever version of OLM has the
 * operator; olm-v0.ts and olm-v1.ts know the objects of OLM.
 */
import type { Successor } from '../../../adoption/successor.ts';
import { keyOfObject, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import type { ManagerClient } from './acting.ts';
import type { RenderPinned } from './pinned.ts';

export interface Departure {
  /** The Secret that keeps the backup. */
  readonly backup: ObjectRef;
  /** How an administrator goes on if the manager has no rights on the objects of OLM: a clause. */
  readonly withoutRights: string;
  /** The next step with the state that decides it; no write. Throws as the hand-over. */
  next(): Promise<DepartureStep>;
}

export interface DepartureStep {
  /** `BackUp` is the first one that writes, `Await…` writes nothing, `Done` is the last one. */
  readonly step: string;
  /** `Step 3 of 17: …`; at the end the outcome. */
  readonly message: string;
  readonly hasBackup: boolean;
  /** Why the operator is not adopted by this Subscription; `NothingToAdopt` if the cluster has no OLM. Only reads. */
  refusal(): Promise<string | undefined>;
  /** Why the first step is not taken, by rendering and by dry runs. @throws ReasonedError if the version cannot be installed */
  obstacle(): Promise<string | undefined>;
  /** @throws ReasonedError Collision if the operator cannot be handed over; the errors of the client */
  carryOut(): Promise<void>;
}

export interface DepartureOptions {
  /** As the manager. */
  readonly client: ManagerClient;
  /** The namespace of the manager, which keeps the backups. */
  readonly namespace: string;
  readonly subscription: Subscription;
  readonly successor: Successor;
  readonly render: RenderPinned;
  readonly now: () => Date;
  /** Resolves after the milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** `Step 3 of 17: …`, by the steps in their order. Pure. */
export function stepMessage<Step extends string>(steps: readonly Step[], step: Step, sentence: string): string {
  return `Step ${steps.indexOf(step) + 1} of ${steps.length - 1}: ${sentence}`;
}

/**
 * Why a hand-over that has begun is not that of this Subscription; undefined if it is. To a tenant it is not said which
 * Subscriptions exist elsewhere. Pure.
 *
 * @param holder The Subscription of the backup.
 */
export function heldByAnother(
  { metadata: holder }: Pick<KubeObject, 'metadata'>,
  { metadata: own, spec }: Pick<Subscription, 'metadata' | 'spec'>,
): string | undefined {
  const isBeside = holder.namespace === own.namespace;
  if (isBeside && holder.name === own.name) return undefined;
  const mayName = isBeside || spec.serviceAccountName === undefined;
  const name = mayName ? `Subscription ${keyOfObject({ metadata: holder })}` : 'a Subscription in another namespace';
  return `it is being handed over to ${name}. Take spec.adopt out of one of the two`;
}
