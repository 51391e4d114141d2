/**
 * Gives a way back to OLM v0 up that has begun: also one that cannot go on, as long as Slipway has the operator. Can be repeated.
 * Sends requests.
 */
import type { Cluster } from '../../api/cluster.ts';
import { ReasonedError } from '../../api/errors.ts';
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import { leavesObjects, type Subscription } from '../../api/subscription.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { allowingConflicts } from '../conflicts.ts';
import { backupRef, endWayBack, readBackup, type Backup, type BackupName } from './backup.ts';
import { OLM, olmRef } from './kinds.ts';
import { tieObjects } from './tie.ts';

/** `Done` if no way back has begun, or none has any more. */
export type StopStep = 'Withdraw' | 'Done';

export interface StopUndoOptions {
  readonly cluster: Cluster;
  readonly name: BackupName;
  readonly signal: AbortSignal;
}

export interface StopFacts {
  readonly backup: Backup;
  /** Slipway's Subscription. */
  readonly subscription: KubeObject | undefined;
}

/** One way back that is given up. */
export class StopUndo {
  readonly #options: StopUndoOptions;

  constructor(options: StopUndoOptions) {
    this.#options = options;
  }

  /**
   * The next step with the objects that decide it; no write.
   *
   * @throws ReasonedError InputInvalid, not retried, for a backup that cannot be read; Collision without a backup, or if Slipway
   * has the operator no longer
   */
  async next(): Promise<{ readonly step: StopStep; readonly facts: StopFacts }> {
    const { cluster, name, signal } = this.#options;
    const secret = await cluster.get(backupRef(name), signal);
    if (secret === undefined) throw tooLate(name, `${describeRef(backupRef(name))} does not exist`);
    const backup = readBackup(secret, name);
    const facts = { backup, subscription: await cluster.get(refOf(backup.wanted), signal) };
    if (backup.stage !== 'HandingBack') return { step: 'Done', facts };
    if (!hasOperator(facts)) throw tooLate(name, 'Slipway leaves its objects already');
    return { step: 'Withdraw', facts };
  }

  /** Carries out a step. A conflict with another writer is no error: the next state decides again. */
  async carryOut(step: StopStep, facts: StopFacts): Promise<void> {
    if (step === 'Withdraw') await allowingConflicts(this.#withdraw(facts));
  }

  /** The list goes last: it holds an uninstall. */
  async #withdraw({ backup, subscription }: StopFacts): Promise<void> {
    if (subscription === undefined) return;
    const { cluster, name, signal } = this.#options;
    const { resourceVersion } = subscription.metadata;
    const { objects = null } = backup.wayBack?.before ?? fieldsOf(fieldsOf(subscription['spec'])['uninstall']);
    const patch = { metadata: { resourceVersion }, spec: { uninstall: { objects } } };
    await cluster.patch(refOf(subscription), patch, {}, signal);
    await tieObjects(cluster, backup, subscription, signal);
    await cluster.patch(backupRef(name), endWayBack(), {}, signal);
  }
}

/** Of a Subscription whose objects would be deleted, the manager holds the uninstall. */
function hasOperator({ backup, subscription }: StopFacts): boolean {
  if (subscription === undefined || subscription.metadata.uid !== backup.wayBack?.subscription) return false;
  return subscription.metadata.deletionTimestamp === undefined || !leavesObjects(subscription as Subscription);
}

function tooLate({ namespace, subscription }: BackupName, why: string): ReasonedError {
  return new ReasonedError({
    reason: 'Collision',
    retry: 'never',
    message: `the way back of ${describeRef(olmRef(OLM.subscription, namespace, subscription))} is not given up: ${why}`,
    hint: `Let it end by \`slipway adopt undo ${namespace}/${subscription}\`, and hand the operator over again if you like`,
  });
}
