/**
 * Hands an operator back to OLM v1, from the backup of its hand-over. Each step can be repeated, and any process can go on
 * after any write: undo-steps.ts decides from the cluster alone. Sends requests.
 */
import type { Cluster } from '../../api/cluster.ts';
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { refOfEntry } from '../../apply/inventory.ts';
import { allowingConflicts } from '../conflicts.ts';
import { HOLD } from '../olm-v0/kinds.ts';
import { backupRef, type Backup, type BackupName } from './backup.ts';
import { pinOf } from '../successor.ts';
import { specAtTheEnd } from './spec-at-the-end.ts';
import { ask, offerOf, repeated, restored } from './offer.ts';
import { gatherUndo, markNames, type UndoFacts } from './undo-gather.ts';
import { handBack, isOfSlipway } from './undo-marks.ts';
import { nextUndoStep, type UndoState, type UndoStep } from './undo-steps.ts';
import { problem } from './undoable.ts';
import { catalogFilter } from './extension.ts';
import { keepWayBack, withoutPin, type WayBack } from './way-back.ts';
import { withdraw } from './withdraw.ts';

export interface UndoOptions {
  readonly cluster: Cluster;
  readonly name: BackupName;
  readonly signal: AbortSignal;
}

/** One way back. */
export class Undo {
  readonly #options: UndoOptions;

  constructor(options: UndoOptions) {
    this.#options = options;
  }

  /**
   * The next step with the state that decides it; no write.
   *
   * @throws ReasonedError InputInvalid, not retried, for a backup that cannot be read; Collision if the operator cannot be
   * handed back now
   */
  async next(): Promise<{ readonly step: UndoStep; readonly facts: UndoFacts }> {
    const { cluster, name, signal } = this.#options;
    const facts = await gatherUndo(cluster, name, signal);
    return { step: nextUndoStep(facts.state), facts };
  }

  /**
   * Carries out a step. A conflict with another writer is no error: the next state decides again.
   * @throws ReasonedError Collision, not retried, if OLM refuses the operator; the errors of the client
   */
  async carryOut(step: UndoStep, facts: UndoFacts): Promise<void> {
    await allowingConflicts(this.#act(step, facts));
  }

  async #act(step: UndoStep, facts: UndoFacts): Promise<void> {
    const { backup, state } = facts;
    switch (step) {
      case 'CallOff':
        return this.#callOff(backup, state.extension);
      case 'Offer':
        return this.#offer(facts);
      case 'Withdraw':
        return this.#withdraw(facts);
      case 'KeepList':
        return this.#keepList(facts);
      case 'Pin':
        return this.#pin(facts);
      case 'Orphan':
        return this.#orphan(state.subscription);
      case 'Mark':
        return this.#mark(backup, state);
      case 'Repeat':
        return this.#patchExtension(state.extension, (extension) => repeated(extension, facts.installed));
      case 'Ask':
        return this.#patchExtension(state.extension, ask);
      case 'Restore':
        return this.#patchExtension(state.extension, (extension) =>
          restored(extension, specAtTheEnd(facts), facts.installed),
        );
      case 'ForgetBackup':
        return this.#forgetBackup();
      case 'AwaitAnswer':
      case 'AwaitWithdrawn':
      case 'AwaitPinned':
      case 'AwaitOrphaned':
      case 'AwaitTakenOver':
        return undefined;
    }
  }

  /** OLM has the operator still: the writes before the deletion of the ClusterExtension are taken back. */
  async #callOff(backup: Backup, extension: KubeObject | undefined): Promise<void> {
    const isOurs = textOf(catalogFilter(extension)['version']) === pinOf(backup);
    const { version = null } = catalogFilter(backup.olm);
    await this.#patchExtension(extension, ({ metadata: { resourceVersion, finalizers = [] } }) => ({
      metadata: { resourceVersion, finalizers: finalizers.filter((one) => one !== HOLD) },
      // A version that a person has written since is left.
      ...(isOurs && { spec: { source: { catalog: { version } } } }),
    }));
    await this.#forgetBackup();
  }

  /** Tried with the versions of the end too: OLM's CRD may reject a range of Slipway. */
  async #offer(facts: UndoFacts): Promise<void> {
    const { cluster, signal } = this.#options;
    await this.#tryOffer(facts);
    await cluster.create(offerOf(facts.backup.olm, specAtTheEnd(facts), facts.installed.version), {}, signal);
  }

  async #tryOffer(facts: UndoFacts): Promise<void> {
    const { cluster, signal } = this.#options;
    const spec = specAtTheEnd(facts);
    await cluster.create(
      { ...offerOf(facts.backup.olm, spec, facts.installed.version), spec },
      { dryRun: true },
      signal,
    );
  }

  /** Slipway keeps the operator, and its Subscription is as it was. OLM deletes nothing: it has taken nothing over. */
  async #withdraw({ wayBack, installed, state }: UndoFacts): Promise<void> {
    const { answer, isOfVersion } = state;
    await withdraw(this.#options, { wayBack, ...state });
    // An offer of the version before the last upgrade is made again, for the new one.
    if (!isOfVersion || answer.kind !== 'refused') return;
    const { bundle, version } = installed;
    throw problem(
      this.#options.name,
      `OLM cannot go on with ${bundle}: ${answer.message}`,
      `Slipway keeps the operator. Mend the cause in OLM; if no ClusterCatalog has version ${version}, add it there, or roll back to a version that OLM has`,
    );
  }

  async #keepList(facts: UndoFacts): Promise<void> {
    const { wayBack, installed, inventory, state } = facts;
    const own = state.subscription as Subscription | undefined;
    if (own?.status?.installed === undefined) return;
    const { cluster, name, signal } = this.#options;
    // If OLM's CRD rejects it, no way back begins.
    if (state.extension === undefined) await this.#tryOffer(facts);
    const list: WayBack = {
      subscription: own.metadata.uid ?? '',
      revision: own.status.installed.revision,
      ...installed,
      managed: inventory.map(refOfEntry),
      extension: state.extension?.metadata.uid ?? '',
      spec: specAtTheEnd(facts),
      before: withoutPin(own, wayBack),
    };
    await cluster.patch(backupRef(name), keepWayBack(list), {}, signal);
  }

  /** Only if the API server knows the field: without it the manager would delete every object. */
  async #pin({ installed: { version }, state: { subscription } }: UndoFacts): Promise<void> {
    if (subscription === undefined) return;
    const { cluster, name, signal } = this.#options;
    const { resourceVersion } = subscription.metadata;
    const spec = { version, uninstall: { objects: 'Orphan' } };
    const patched = await cluster.patch(refOf(subscription), { metadata: { resourceVersion }, spec }, {}, signal);
    if (textOf(fieldsOf(fieldsOf(patched['spec'])['uninstall'])['objects']) === 'Orphan') return;
    const unknown = `${describeRef(refOf(subscription))} has no field spec.uninstall.objects`;
    throw problem(name, unknown, "Upgrade Slipway's CRDs and manager first");
  }

  /** Bound to the version that was read: in it no upgrade is under way, and the objects are left. */
  async #orphan(subscription: KubeObject | undefined): Promise<void> {
    if (subscription === undefined) return;
    const { cluster, signal } = this.#options;
    const { uid = '', resourceVersion = '' } = subscription.metadata;
    await cluster.delete(refOf(subscription), { uid, resourceVersion, propagation: 'Background' }, signal);
  }

  async #mark(backup: Backup, { unmarked }: UndoState): Promise<void> {
    const { cluster, signal } = this.#options;
    const names = markNames(backup);
    for (const ref of unmarked) {
      const live = await cluster.get(ref, signal);
      if (live === undefined || !isOfSlipway(live, names)) continue;
      await cluster.patch(ref, handBack(live, names), {}, signal);
    }
  }

  async #patchExtension(
    extension: KubeObject | undefined,
    change: (extension: KubeObject) => Readonly<Record<string, unknown>>,
  ): Promise<void> {
    if (extension === undefined) return;
    const { cluster, signal } = this.#options;
    await cluster.patch(refOf(extension), change(extension), {}, signal);
  }

  async #forgetBackup(): Promise<void> {
    const { cluster, name, signal } = this.#options;
    await cluster.delete(backupRef(name), {}, signal);
  }
}
