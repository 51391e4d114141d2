/**
 * Carries out the steps of a hand-over from OLM v1. Each step can be repeated, and any process can go on after any write:
 * steps.ts decides from the cluster alone. Sends requests.
 */
import type { Cluster } from '../../api/cluster.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { allowingConflicts } from '../conflicts.ts';
import { withoutManagedFields } from '../packed.ts';
import { GONE } from '../refusal.ts';
import type { Successor } from '../successor.ts';
import { backupRef, endHandOver, writeBackup, type Backup, type BackupName } from './backup.ts';
import { gather, type Gathered } from './gather.ts';
import { handOver, isMarked } from './marks.ts';
import { OlmSide } from './olm-side.ts';
import { refusal } from './refusal.ts';
import { SlipwaySide } from './slipway-side.ts';
import { nextStep, type StepName } from './steps.ts';
import type { Translation } from './translate.ts';
import { installedBundle } from './extension.ts';
import { judgeExtension } from './verdict.ts';

export interface HandOverOptions {
  readonly cluster: Cluster;
  readonly name: BackupName;
  /** Slipway's Subscription that goes on with the operator; only read before there is a backup. */
  readonly wanted: (gathered: Gathered) => Translation;
  /** Why Slipway could not install the very bundle that OLM has installed; undefined if it can. */
  readonly obstacle: (wanted: KubeObject, bundle: string) => Promise<string | undefined>;
  /** Absent: Slipway's Subscription is created, and its pin is taken out of its spec. */
  readonly successor?: Successor;
  /** The namespace in which the ClusterExtension has to install; absent: any. */
  readonly namespace?: string;
  readonly signal: AbortSignal;
}

/** The steps that write. */
type ActName = Exclude<StepName, `Await${string}` | 'Done'>;

function isAct(step: StepName): step is ActName {
  return step !== 'Done' && !step.startsWith('Await');
}

/** One hand-over. */
export class HandOver {
  readonly #options: HandOverOptions;
  readonly #olm: OlmSide;
  readonly #slipway: SlipwaySide;

  constructor(options: HandOverOptions) {
    this.#options = options;
    this.#olm = new OlmSide(options);
    this.#slipway = new SlipwaySide(options);
  }

  /**
   * The next step with the state that decides it; no write.
   *
   * @throws ReasonedError Collision, not retried, if the backup is of another hand-over
   */
  async next(): Promise<{ readonly step: StepName; readonly gathered: Gathered }> {
    const { cluster, name } = this.#options;
    const gathered = await gather(cluster, name, this.#options);
    const { backup } = gathered;
    if (backup !== undefined) this.#requireOurs(backup, gathered);
    return { step: nextStep(gathered.state), gathered };
  }

  /** People and Git act meanwhile: a ClusterExtension that another program deleted takes its objects along. */
  #requireOurs(
    { olm, wanted, isEnded }: Backup,
    { isOnWayBack, survey: { extension }, state: { subscription } }: Gathered,
  ): void {
    const { name, namespace } = this.#options;
    const again = `Delete ${describeRef(backupRef(name))} to begin again`;
    if (isOnWayBack)
      throw refusal(name, 'it is being handed back', `Go on by \`slipway adopt undo ${name.extension} --from olm-v1\``);
    if (extension !== undefined && extension.metadata.uid !== olm.metadata.uid)
      throw refusal(name, 'OLM has it again', again);
    if (isEnded) return;
    if (extension === undefined && subscription === undefined) throw refusal(name, GONE, again);
    if (extension?.metadata.finalizers?.includes('foregroundDeletion') === true)
      throw refusal(name, 'another program deletes it with its objects', again);
    // To a Subscription of another namespace, which is refused, it is not named.
    if (namespace !== undefined && wanted.metadata.namespace !== namespace) return;
    const [named, asked] = [subscription, wanted].map((one) => fieldsOf(one?.['spec'])['package']);
    if (subscription !== undefined && named !== asked)
      throw refusal(name, `${describeRef(refOf(subscription))} is for another package`, 'Delete it, and the hand-over goes on'); // prettier-ignore
  }

  /**
   * Carries out a step. A conflict with another writer is no error: the next state decides again.
   * @throws ReasonedError Collision, not retried, if the operator cannot be handed over; the errors of the client
   */
  async carryOut(step: StepName, gathered: Gathered): Promise<void> {
    await allowingConflicts(this.#act(step, gathered));
  }

  async #act(step: StepName, gathered: Gathered): Promise<void> {
    const { backup, state } = gathered;
    if (!isAct(step)) return undefined;
    if (step === 'BackUp') return this.#backUp(gathered);
    if (backup === undefined) throw new Error(`step ${step} needs a backup`);
    const acts: Readonly<Record<Exclude<ActName, 'BackUp'>, () => Promise<void>>> = {
      Pause: () => this.#olm.pause(backup, state.extension),
      Resume: () => this.#olm.resume(backup, state.extension),
      Hold: () => this.#olm.hold(state.extension),
      Delete: () => this.#olm.delete(state.extension),
      HandOver: () => this.#handOver(state.marked, backup),
      Subscribe: () => this.#slipway.subscribe(backup),
      Release: () => this.#olm.release(state.extension),
      CleanUp: () => this.#olm.cleanUp(state.leftovers),
      Unpin: () => this.#unpin(backup, state.subscription),
      End: () => this.#end(),
    };
    return acts[step]();
  }

  async #backUp(gathered: Gathered): Promise<void> {
    const { cluster, name, signal } = this.#options;
    const { survey } = gathered;
    const verdict = judgeExtension(survey);
    const { extension } = survey;
    if (verdict.kind !== 'ready' || extension === undefined)
      throw refusal(name, verdict.kind === 'ready' ? 'it does not exist' : verdict.message);
    const { manifest, range } = this.#options.wanted(gathered);
    const obstacle = await this.#options.obstacle(manifest, installedBundle(extension).name);
    if (obstacle !== undefined) throw refusal(name, obstacle);
    await this.#slipway.requireFree(manifest);
    const backup: Backup = {
      extension: name.extension,
      olm: withoutManagedFields(extension),
      wanted: manifest,
      range,
      objects: survey.objects.map(refOf),
      isEnded: false,
    };
    await cluster.create(writeBackup(backup, name.kept), {}, signal);
  }

  async #handOver(marked: readonly ObjectRef[], { extension, wanted }: Backup): Promise<void> {
    const { cluster, signal } = this.#options;
    const adoptBy = `${wanted.metadata.namespace}/${wanted.metadata.name}`;
    for (const ref of marked) {
      const live = await cluster.get(ref, signal);
      if (live === undefined || !isMarked(live, extension)) continue;
      await cluster.patch(ref, handOver(live, { extension, adoptBy }), {}, signal);
    }
  }

  async #unpin(backup: Backup, live: KubeObject | undefined): Promise<void> {
    if (live === undefined) return;
    await this.#slipway.unpin(backup, live);
    // The range may be that one version, so that the Subscription alone does not show the end of this step.
    await this.#end();
  }

  async #end(): Promise<void> {
    const { cluster, name, signal } = this.#options;
    await cluster.patch(backupRef(name), endHandOver(), {}, signal);
  }
}
