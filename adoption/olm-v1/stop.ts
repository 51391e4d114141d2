/**
 * Gives a way back to OLM v1 up that has begun: also one that cannot go on, as long as Slipway has the operator. Each step can be
 * repeated, and any process can go on after any write. Sends requests.
 */
import type { Cluster } from '../../api/cluster.ts';
import { ReasonedError } from '../../api/errors.ts';
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import { leavesObjects } from '../../api/subscription.ts';
import { allowingConflicts } from '../conflicts.ts';
import { backupRef, readBackup, type BackupName } from './backup.ts';
import { extensionRef } from './kinds.ts';
import { isOffer } from './offer.ts';
import { readWayBack } from './way-back.ts';
import { withdraw, type Withdrawal } from './withdraw.ts';

/** `Done` if no way back has begun, or none has any more. */
export type StopStep = 'Withdraw' | 'AwaitWithdrawn' | 'Done';

export interface StopUndoOptions {
  readonly cluster: Cluster;
  readonly name: BackupName;
  readonly signal: AbortSignal;
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
  async next(): Promise<{ readonly step: StopStep; readonly facts: Withdrawal }> {
    const { cluster, name, signal } = this.#options;
    const secret = await cluster.get(backupRef(name), signal);
    if (secret === undefined) throw tooLate(name, `${describeRef(backupRef(name))} does not exist`);
    const [{ wanted }, wayBack] = [readBackup(secret, name), readWayBack(secret)];
    const [subscription, extension] = await Promise.all([
      cluster.get(refOf(wanted), signal),
      cluster.get(extensionRef(name.extension), signal),
    ]);
    const facts: Withdrawal = { wayBack, subscription, extension };
    const step = stepOf(facts);
    if (step === 'Withdraw') requireOperator(name, facts);
    return { step, facts };
  }

  /** Carries out a step. A conflict with another writer is no error: the next state decides again. */
  async carryOut(step: StopStep, facts: Withdrawal): Promise<void> {
    if (step === 'Withdraw') await allowingConflicts(withdraw(this.#options, facts));
  }
}

function stepOf({ wayBack, extension }: Withdrawal): StopStep {
  if (wayBack !== undefined) return 'Withdraw';
  if (!isOffer(extension)) return 'Done';
  return extension?.metadata.deletionTimestamp === undefined ? 'Withdraw' : 'AwaitWithdrawn';
}

/** Objects that Slipway has left may have the marks of OLM. */
function requireOperator(name: BackupName, { wayBack, subscription }: Withdrawal): void {
  const isOther = wayBack !== undefined && subscription?.metadata.uid !== wayBack.subscription;
  if (subscription === undefined || isOther || isLeaving(subscription))
    throw tooLate(name, 'Slipway leaves its objects already');
}

/** Of one whose objects would be deleted, the manager holds the uninstall. */
function isLeaving(subscription: KubeObject): boolean {
  return subscription.metadata.deletionTimestamp !== undefined && leavesObjects(subscription as Subscription);
}

function tooLate({ extension }: BackupName, why: string): ReasonedError {
  return new ReasonedError({
    reason: 'Collision',
    retry: 'never',
    message: `the way back of ${describeRef(extensionRef(extension))} is not given up: ${why}`,
    hint: `Let it end by \`slipway adopt undo ${extension} --from olm-v1\`, and hand the operator over again if you like`,
  });
}
