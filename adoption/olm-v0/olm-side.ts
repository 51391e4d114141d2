/**
 * The writes of a hand-over to OLM's own objects, up to the deletion of its Subscription. Until the ClusterServiceVersion is
 * deleted, OLM goes on as it likes: each of these writes is preceded by a judgement, and a refusal takes the writes before
 * it back. Sends requests.
 */
import { isConflict } from '../../api/api-answers.ts';
import type { Cluster } from '../../api/cluster.ts';
import { canonicalJson } from '../../api/json.ts';
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { backupRef, type Backup, type BackupName } from './backup.ts';
import { conditionRights } from './condition.ts';
import type { Gathered } from './gather.ts';
import { CSV_CLEANUP, HOLD } from './kinds.ts';
import { paused, resumed } from './pause.ts';
import { refusal } from './refusal.ts';
import { judgeOperator } from './verdict.ts';

export interface OlmSideOptions {
  readonly cluster: Cluster;
  readonly name: BackupName;
  readonly signal: AbortSignal;
}

/** OLM works on a version after each of its changes, ours included, for some tenths of a second. */
const MOST_SWAPS = 10;

/** OLM's side of one hand-over. */
export class OlmSide {
  readonly #options: OlmSideOptions;

  constructor(options: OlmSideOptions) {
    this.#options = options;
  }

  /** OLM installs no upgrade without an approval from now on; one that it has begun is seen before the next step. */
  async pause(backup: Backup, gathered: Gathered): Promise<void> {
    await this.#requireUnchanged(backup, gathered);
    const { olmSubscription: live } = gathered.state;
    const { cluster, signal } = this.#options;
    if (live !== undefined) await cluster.patch(refOf(live), paused(live), {}, signal);
  }

  async hold(backup: Backup, gathered: Gathered): Promise<void> {
    const { cluster, signal } = this.#options;
    await this.#requireUnchanged(backup, gathered);
    for (const object of conditionRights(backup)) await cluster.apply(object, { force: true }, signal);
    const { csv } = gathered.state;
    if (csv === undefined) return;
    const { resourceVersion, finalizers = [] } = csv.metadata;
    await cluster.patch(refOf(csv), { metadata: { resourceVersion, finalizers: [...finalizers, HOLD] } }, {}, signal);
  }

  /**
   * OLM puts its finalizer back when it begins to work on the version. At once after that there is time for another attempt,
   * and a manager on a busy machine would be too late each time if it gathered all facts before.
   */
  async delete(backup: Backup, gathered: Gathered): Promise<void> {
    const { cluster, signal } = this.#options;
    await this.#requireUnchanged(backup, gathered);
    const { csv } = gathered.state;
    for (let attempt = 1, live = csv; live !== undefined; attempt += 1) {
      const conflict = await this.#swap(live);
      if (conflict === undefined) return;
      live = await cluster.get(refOf(live), signal);
      if (attempt === MOST_SWAPS || !isAsJudged(live, csv)) throw conflict;
    }
  }

  /**
   * Takes OLM's finalizer off and deletes the very object of that write: if OLM has put its finalizer back in between,
   * the deletion is a conflict, which is returned. A finalizer cannot be added to an object that is being deleted.
   */
  async #swap(csv: KubeObject): Promise<Error | undefined> {
    const { cluster, signal } = this.#options;
    const { resourceVersion, finalizers = [] } = csv.metadata;
    const others = finalizers.filter((one) => one !== CSV_CLEANUP);
    try {
      const held = await cluster.patch(refOf(csv), { metadata: { resourceVersion, finalizers: others } }, {}, signal);
      const { uid = '', resourceVersion: seen = '' } = held.metadata;
      await cluster.delete(refOf(csv), { uid, resourceVersion: seen, propagation: 'Orphan' }, signal);
      return undefined;
    } catch (error) {
      if (error instanceof Error && isConflict(error)) return error;
      throw error;
    }
  }

  /** Plans that wait for approval go first: with the Subscription, the names of their versions would be lost. */
  async deleteSubscription(backup: Backup, gathered: Gathered): Promise<void> {
    const { olmSubscription: live, pendingPlans } = gathered.state;
    const { cluster, signal } = this.#options;
    const isLive = live !== undefined && live.metadata.deletionTimestamp === undefined;
    if (isLive) await this.#requireOurDeletion(backup, gathered, live);
    for (const plan of pendingPlans) {
      const { uid = '', resourceVersion = '' } = plan.metadata;
      await cluster.delete(refOf(plan), { uid, resourceVersion, propagation: 'Background' }, signal);
    }
    if (!isLive) return;
    const { uid = '', resourceVersion = '' } = live.metadata;
    await cluster.delete(refOf(live), { uid, resourceVersion, propagation: 'Orphan' }, signal);
  }

  /** Takes back what was written before the deletion of the ClusterServiceVersion. */
  async giveBack(live: KubeObject | undefined, csv: KubeObject | undefined): Promise<void> {
    const { cluster, signal } = this.#options;
    const { resourceVersion, finalizers = [] } = csv?.metadata ?? {};
    if (csv !== undefined && finalizers.includes(HOLD)) {
      const others = finalizers.filter((one) => one !== HOLD);
      await cluster.patch(refOf(csv), { metadata: { resourceVersion, finalizers: others } }, {}, signal);
    }
    const patch = live && resumed(live);
    if (live !== undefined && patch !== undefined) await cluster.patch(refOf(live), patch, {}, signal);
  }

  /** Only the very Subscription and version that the backup has, and only if OLM is not at work on them. */
  async #requireUnchanged(backup: Backup, gathered: Gathered): Promise<void> {
    const { survey } = gathered;
    const { subscription, csv } = survey;
    const verdict = judgeOperator(survey);
    const isSame =
      (subscription === undefined || subscription.metadata.uid === backup.subscription?.metadata.uid) &&
      csv?.metadata.uid === backup.csv.metadata.uid;
    if (isSame && verdict.kind === 'ready') return;
    await this.#refuse(gathered, isSame && verdict.kind !== 'ready' ? verdict.message : GONE_ON);
  }

  /**
   * That the ClusterServiceVersion is deleted and held is no sign of it: OLM deletes one that it has upgraded. Only then it is
   * released: with its annotations OLM would act on the objects. OLM writes no version into the status of a Subscription that was
   * created again before it has resolved it.
   */
  async #requireOurDeletion(backup: Backup, gathered: Gathered, live: KubeObject): Promise<void> {
    const { csv, csvs } = gathered.survey;
    const { csv: name } = backup.operator;
    const isHeld = csv?.metadata.uid === backup.csv.metadata.uid && csv?.metadata.finalizers?.includes(HOLD) === true;
    const isReplaced = csvs.some(({ spec }) => fieldsOf(spec)['replaces'] === name);
    const hasGoneOn = isReplaced || !['', name].includes(textOf(fieldsOf(live['status'])['installedCSV']));
    const isSame = live.metadata.uid === backup.subscription?.metadata.uid;
    if (!isSame && !hasGoneOn)
      throw refusal(this.#options.name, {
        why: 'its Subscription was created again meanwhile',
        hint: 'Delete that one, and the hand-over goes on. Take it out of Git first if it comes from there',
      });
    if (!isHeld || hasGoneOn) await this.#refuse(gathered, GONE_ON);
  }

  async #refuse({ state }: Gathered, why: string): Promise<never> {
    await this.giveBack(state.olmSubscription, state.csv);
    const { name } = this.#options;
    throw refusal(name, { why, hint: `Delete ${describeRef(backupRef(name))} to begin again` });
  }
}

const GONE_ON = 'OLM has gone on since the backup was made';

/** Whether nothing but the finalizers has changed since the version was judged. */
function isAsJudged(live: KubeObject | undefined, judged: KubeObject | undefined): boolean {
  return canonicalJson(withoutFinalizers(live)) === canonicalJson(withoutFinalizers(judged));
}

type WithFields = KubeObject['metadata'] & { readonly managedFields?: unknown };

function withoutFinalizers(csv: KubeObject | undefined): unknown {
  if (csv === undefined) return null;
  const { finalizers: _, resourceVersion: _version, managedFields: _fields, ...metadata } = csv.metadata as WithFields;
  return { ...csv, metadata };
}
