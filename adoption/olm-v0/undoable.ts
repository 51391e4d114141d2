/**
 * Whether an operator can be handed back to OLM v0 now. Pure; undo.ts asks before each step, since between two of them a
 * person may upgrade the operator, and GitOps may make its Subscription again.
 */
import { findCondition } from '../../api/conditions.ts';
import { ReasonedError } from '../../api/errors.ts';
import { describeRef, type KubeObject } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { commandToEnd } from '../way-back.ts';
import { backupRef, type Backup, type BackupName } from './backup.ts';
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
  if (!isManaged(backup, own)) return;
  if (wayBack !== undefined && own.metadata.uid !== wayBack.subscription) {
    const again = `Subscription.slipway.dev ${operator.namespace}/${backup.adoptedBy} was created again since`;
    throw problem(name, again, 'Suspend the program that creates it, and delete it by `slipway uninstall --orphan`');
  }
  if (isHeld(backup, own)) requireVersionHeld(name, operator.csv, own);
  else requireVersion(name, operator.csv, own);
  if (stage === 'HandedOver') requireReady(name, own);
}

/** Whether OLM has the operator still, so that a hand-over can be called off. With spec.adopt the manager would begin again. */
export function isOnlyBegun({ stage }: Backup, own: Subscription | undefined, csv: KubeObject | undefined): boolean {
  const isDeleted = csv?.metadata.deletionTimestamp !== undefined;
  return stage === 'HandingOver' && own === undefined && csv !== undefined && !isDeleted;
}

/** Whether Slipway's Subscription exists, and is not being deleted. */
function isStaying(own: Subscription | undefined): own is Subscription {
  return own !== undefined && own.metadata.deletionTimestamp === undefined;
}

/**
 * Whether a person has deleted Slipway's Subscription after the way back had begun, so that its objects would go with it. The
 * manager holds that until they are to stay: see adoption/way-back.ts.
 */
export function isHeld({ stage }: Backup, own: Subscription | undefined): boolean {
  const isDeleted = own?.metadata.deletionTimestamp !== undefined;
  return stage === 'HandingBack' && isDeleted && fieldsOf(fieldsOf(own.spec)['uninstall'])['objects'] !== 'Orphan';
}

/** Whether Slipway has the objects, and goes on to have them until they are to stay. */
export function isManaged(backup: Backup, own: Subscription | undefined): own is Subscription {
  return isStaying(own) || isHeld(backup, own);
}

/** Whether the objects of the active Revision are listed; once the Subscription goes, the list stays as it is. */
export function hasList(backup: Backup, own: Subscription | undefined): boolean {
  const { wayBack } = backup;
  if (wayBack === undefined || !isManaged(backup, own)) return wayBack !== undefined;
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

/** A Subscription that is being deleted installs no other version. */
function requireVersionHeld(name: BackupName, csv: string, { status }: Subscription): void {
  const found = status?.pending?.bundle ?? status?.installed?.bundle;
  if (found === csv) return;
  const why = `OLM had ${csv}, and ${found ?? 'nothing'} is installed by a Subscription that is being deleted`;
  const end = `End the way back, and the operator is uninstalled, or stays as it is with spec.uninstall.objects: Orphan: ${commandToEnd(backupRef(name))}`;
  throw problem(name, why, end);
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
