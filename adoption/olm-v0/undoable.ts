/**
 * Whether an operator can be handed back to OLM v0 now. Pure; undo.ts asks before each step, since between two of them a
 * person may upgrade the operator, and GitOps may make its Subscription again.
 */
import { findCondition } from '../../api/conditions.ts';
import { ReasonedError } from '../../api/errors.ts';
import { describeRef, type KubeObject } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Backup, BackupName } from './backup.ts';
import { OLM } from './kinds.ts';

/**
 * @param own Slipway's Subscription.
 * @throws ReasonedError Collision, not retried: a person has to change the state first
 */
export function requireUndoable(name: BackupName, backup: Backup, own: Subscription | undefined): void {
  const { stage, wayBack, operator } = backup;
  if (stage === 'HandingOver' || (stage === 'HandedOver' && own === undefined)) {
    const again = `slipway adopt run ${name.namespace}/${name.subscription}`;
    throw problem(name, 'it is not handed over', `Hand it over first: ${again}`);
  }
  if (!isStaying(own)) return;
  if (wayBack !== undefined && own.metadata.uid !== wayBack.subscription) {
    const again = `Subscription.slipway.dev ${operator.namespace}/${backup.adoptedBy} was created again since`;
    throw problem(name, again, 'Suspend the program that creates it, and delete it by `slipway uninstall --orphan`');
  }
  requireVersion(name, operator.csv, own);
  if (stage === 'HandedOver') requireReady(name, own);
}

/** Whether OLM has the operator still, so that a hand-over can be called off. With spec.adopt the manager would begin again. */
export function isOnlyBegun({ stage }: Backup, own: Subscription | undefined, csv: KubeObject | undefined): boolean {
  const isDeleted = csv?.metadata.deletionTimestamp !== undefined;
  return stage === 'HandingOver' && own === undefined && csv !== undefined && !isDeleted;
}

/** Whether Slipway's Subscription exists, and is not being deleted. */
export function isStaying(own: Subscription | undefined): own is Subscription {
  return own !== undefined && own.metadata.deletionTimestamp === undefined;
}

/** Whether the objects of the active Revision are listed; once the Subscription goes, the list stays as it is. */
export function hasList({ wayBack }: Backup, own: Subscription | undefined): boolean {
  if (wayBack === undefined || !isStaying(own)) return wayBack !== undefined;
  return own.status?.installed?.revision === wayBack.revision;
}

/** A version that is being rolled out would be left half-way. */
function requireVersion(name: BackupName, csv: string, { status }: Subscription): void {
  const bundle = status?.installed?.bundle;
  if (bundle !== csv)
    throw problem(name, `${bundle ?? 'nothing'} is installed, and OLM had ${csv}`, 'Roll back to that version first');
  if (status?.pending !== undefined)
    throw problem(
      name,
      `${status.pending.bundle} comes next`,
      'Pin the version that is installed by spec.version first',
    );
}

function requireReady(name: BackupName, { metadata, status }: Subscription): void {
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready?.status === 'True' && status?.observedGeneration === metadata.generation) return;
  throw problem(
    name,
    `it is not Ready: ${ready?.message ?? 'it has no status'}`,
    'Wait until its Subscription is Ready',
  );
}

/** The refusal of the way back. */
export function problem({ namespace, subscription }: BackupName, why: string, hint: string): ReasonedError {
  return new ReasonedError({
    reason: 'Collision',
    retry: 'never',
    message: `${describeRef({ ...OLM.subscription, namespace, name: subscription })} is not handed back: ${why}`,
    hint,
  });
}
