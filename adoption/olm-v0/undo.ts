/**
 * Hands an operator back to OLM v0, from the backup of its hand-over. Each step can be repeated, and any process can go on
 * after any write: undo-steps.ts decides from the cluster alone. Sends requests.
 */
import type { Cluster } from '../../api/cluster.ts';
import { API_VERSION } from '../../api/names.ts';
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { refOfEntry } from '../../apply/inventory.ts';
import { allowingConflicts } from '../conflicts.ts';
import { backupRef, beginWayBack, type Backup, type BackupName } from './backup.ts';
import { gatherUndo, type UndoFacts } from './undo-gather.ts';
import { handBack, isOfOperator, marksFor } from './undo-marks.ts';
import { conditionRights } from './condition.ts';
import { pendingPlans, sharersOf } from './install-plans.ts';
import { OLM } from './kinds.ts';
import { OlmSide } from './olm-side.ts';
import { createdPaused, resumed } from './pause.ts';
import { incomplete, nextUndoStep, type UndoState, type UndoStep } from './undo-steps.ts';
import { planParts } from './survey-parts.ts';
import { problem } from './undoable.ts';
import { tiedRefs } from './tied.ts';
import { untieObjects } from './untie.ts';

export interface UndoOptions {
  readonly cluster: Cluster;
  readonly name: BackupName;
  readonly now: () => Date;
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
   * @throws ReasonedError InputInvalid, not retried, without a backup; Collision if the operator cannot be handed back now
   */
  async next(): Promise<{ readonly step: UndoStep; readonly facts: UndoFacts }> {
    const { cluster, name, signal } = this.#options;
    const facts = await gatherUndo(cluster, name, { now: this.#options.now(), signal });
    return { step: nextUndoStep(facts.state), facts };
  }

  /** Carries out a step. A conflict with another writer is no error: the next state decides again. */
  async carryOut(step: UndoStep, facts: UndoFacts): Promise<void> {
    await allowingConflicts(this.#act(step, facts));
  }

  async #act(step: UndoStep, { backup, state }: UndoFacts): Promise<void> {
    switch (step) {
      case 'CallOff':
        return this.#callOff(backup, state);
      case 'Resume':
        return this.#resume(backup, state.olmSubscription);
      case 'KeepList':
        return this.#keepList(backup, state.subscription);
      case 'Orphan':
        return this.#orphan(backup, state.subscription);
      case 'CreateVersion':
        return this.#createVersion(backup);
      case 'Mark':
        return this.#mark(backup, state);
      case 'Complete':
        return this.#complete(backup, state.csv);
      case 'CreateSubscription':
        return this.#createSubscription(backup);
      case 'SetStatus':
        return this.#setStatus(backup, state.olmSubscription);
      case 'ForgetBackup':
        return this.#forgetBackup();
      case 'AwaitOrphaned':
      case 'AwaitSucceeded':
      case 'AwaitRead':
      case 'AwaitResolved':
        return undefined;
    }
  }

  /** OLM has the operator still: the writes before the deletion of its ClusterServiceVersion are taken back. */
  async #callOff(backup: Backup, { olmSubscription, csv }: UndoState): Promise<void> {
    const { cluster, signal } = this.#options;
    await new OlmSide(this.#options).giveBack(olmSubscription, csv);
    for (const right of conditionRights(backup)) await cluster.delete(refOf(right), {}, signal);
    await this.#forgetBackup();
  }

  /** The plan that OLM made of an upgrade meanwhile is approved, as OLM would have done. */
  async #resume({ operator }: Backup, live: KubeObject | undefined): Promise<void> {
    const patch = live && resumed(live);
    if (live === undefined || patch === undefined) return;
    const { cluster, signal } = this.#options;
    const options = { namespace: operator.namespace, keep: planParts };
    const installPlans = await cluster.list(OLM.installPlan, options, signal);
    const survey = { subscription: live, installPlans };
    if (sharersOf(survey).length === 0)
      for (const plan of pendingPlans(survey))
        await cluster.patch(refOf(plan), { spec: { approved: true } }, {}, signal);
    await cluster.patch(refOf(live), patch, {}, signal);
  }

  async #keepList({ operator, wayBack: kept }: Backup, subscription: KubeObject | undefined): Promise<void> {
    const { cluster, name, signal } = this.#options;
    const { installed } = (subscription as Subscription | undefined)?.status ?? {};
    const { objects } = fieldsOf(fieldsOf(subscription?.['spec'])['uninstall']);
    if (subscription === undefined || installed === undefined) return;
    const ref = { apiVersion: API_VERSION, kind: 'Revision', namespace: operator.namespace, name: installed.revision };
    const revision = (await cluster.get(ref, signal)) as Revision | undefined;
    const managed = (revision?.status?.inventory ?? []).map((entry) => refOfEntry(entry));
    const before = kept?.before ?? (textOf(objects) === '' ? {} : { objects: textOf(objects) });
    const wayBack = { subscription: subscription.metadata.uid ?? '', revision: installed.revision, managed, before };
    await cluster.patch(backupRef(name), beginWayBack(wayBack), {}, signal);
  }

  /**
   * Only if the API server knows the field: without it the manager would delete every object. Both writes are bound to the
   * version that was read: a stop of the way back, or a person, may ask for the opposite in between.
   */
  async #orphan(backup: Backup, subscription: KubeObject | undefined): Promise<void> {
    if (subscription === undefined) return;
    const { cluster, signal } = this.#options;
    // Else they would be deleted with Slipway's Subscription; OLM gives them an owner again.
    await untieObjects(cluster, tiedRefs(backup), signal);
    const { uid = '', resourceVersion, deletionTimestamp } = subscription.metadata;
    const patch = { metadata: { uid, resourceVersion }, spec: { uninstall: { objects: 'Orphan' } } };
    const patched = await cluster.patch(refOf(subscription), patch, {}, signal);
    if (textOf(fieldsOf(fieldsOf(patched['spec'])['uninstall'])['objects']) !== 'Orphan') {
      const name = describeRef(refOf(subscription));
      throw problem(this.#options.name, `${name} has no field spec.uninstall.objects`, "Upgrade Slipway's CRDs and manager first"); // prettier-ignore
    }
    // A person was faster.
    if (deletionTimestamp !== undefined) return;
    const seen = { uid, resourceVersion: patched.metadata.resourceVersion ?? '' };
    await cluster.delete(refOf(subscription), { ...seen, propagation: 'Background' }, signal);
  }

  async #createVersion({ csv }: Backup): Promise<void> {
    const { cluster, signal } = this.#options;
    await cluster.create({ ...asNew(csv), spec: incomplete(csv['spec']) }, {}, signal);
  }

  async #mark(backup: Backup, { unmarked, csv }: UndoState): Promise<void> {
    const { cluster, signal } = this.#options;
    for (const ref of unmarked) {
      const live = await cluster.get(ref, signal);
      const marks = marksFor(ref, backup, csv?.metadata.uid ?? '');
      if (live === undefined || !isOfOperator(live, backup, marks)) continue;
      await cluster.patch(ref, handBack(live, marks), {}, signal);
    }
  }

  /** A merge patch replaces the list of requirements as a whole. */
  async #complete({ csv: kept }: Backup, csv: KubeObject | undefined): Promise<void> {
    if (csv === undefined) return;
    const { cluster, signal } = this.#options;
    const { nativeAPIs = null } = fieldsOf(kept['spec']);
    await cluster.patch(refOf(csv), { spec: { nativeAPIs } }, {}, signal);
  }

  async #createSubscription({ subscription }: Backup): Promise<void> {
    if (subscription === undefined) return;
    const { cluster, signal } = this.#options;
    await cluster.create(createdPaused(asNew(subscription)), {}, signal);
  }

  /** By these fields OLM takes the ClusterServiceVersion for the one of this Subscription. */
  async #setStatus({ operator }: Backup, subscription: KubeObject | undefined): Promise<void> {
    if (subscription === undefined) return;
    const { cluster, signal, now } = this.#options;
    const lastUpdated = `${now().toISOString().slice(0, 19)}Z`;
    const status = { currentCSV: operator.csv, installedCSV: operator.csv, state: 'AtLatestKnown', lastUpdated };
    await cluster.patch(refOf(subscription), { status }, { subresource: 'status' }, signal);
  }

  async #forgetBackup(): Promise<void> {
    const { cluster, name, signal } = this.#options;
    await cluster.delete(backupRef(name), {}, signal);
  }
}

/** Names the InstallPlan that made a dependency's Subscription. OLM resolves nothing while that plan does not exist. */
const GENERATED_BY = 'olm.generated-by';

/** The object without the fields of the API server, and without finalizers: OLM adds its own. */
function asNew({ apiVersion, kind, metadata, spec }: KubeObject): KubeObject {
  const { name, namespace = '', labels = {} } = metadata;
  const { [GENERATED_BY]: _plan, ...annotations } = metadata.annotations ?? {};
  return { apiVersion, kind, metadata: { name, namespace, labels, annotations }, spec };
}
