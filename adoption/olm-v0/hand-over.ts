/**
 * Carries out the steps of a hand-over from OLM v0. Each step can be repeated, and any process can go on after any
 * write: steps.ts decides from the cluster alone. Sends requests.
 */
import type { Cluster } from '../../api/cluster.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { describeCollected } from '../collected.ts';
import { allowingConflicts } from '../conflicts.ts';
import { GONE } from '../refusal.ts';
import type { Successor } from '../successor.ts';
import { backupRef, endHandOver, makeBackup, writeBackup, type Backup, type BackupName } from './backup.ts';
import { gather, type Gathered } from './gather.ts';
import { collectInventory, tieFactsOf } from './inventory.ts';
import { componentLabel, TARGET_ANNOTATIONS } from './kinds.ts';
import { handOver, isCsv, isMarked } from './marks.ts';
import { OlmSide } from './olm-side.ts';
import { refusal } from './refusal.ts';
import { SlipwaySide } from './slipway-side.ts';
import { isHeldAlone, nextStep, type HandOverState, type StepName } from './steps.ts';
import { operatorOf } from './survey.ts';
import { judgeOperator } from './verdict.ts';

/** How long OLM may need to see that the annotations are gone. */
const SEEN_BY_OLM_MS = 300;

export interface Surprising {
  /** Slipway's Subscription. */
  readonly wanted: KubeObject;
  /** The objects that are handed over. */
  readonly objects: readonly KubeObject[];
}

export interface HandOverOptions {
  readonly cluster: Cluster;
  readonly name: BackupName;
  /** Slipway's Subscription that goes on with the operator; only read before there is a backup. */
  readonly wanted: (gathered: Gathered) => KubeObject | Promise<KubeObject>;
  /** Absent: Slipway's Subscription is created, and its pin is taken out of its spec. */
  readonly successor?: Successor;
  /** Sentences about effects that a user has to know before anything is changed, such as Pods that are replaced. */
  readonly surprises?: (gathered: Gathered, about: Surprising) => Promise<readonly string[]>;
  /** Resolves after the milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
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
   * @throws ReasonedError Collision, not retried, if the backup is of another hand-over, of one that is being undone, or of an
   * operator that neither OLM nor Slipway has any more
   */
  async next(): Promise<{ readonly step: StepName; readonly gathered: Gathered }> {
    const { cluster, name, signal } = this.#options;
    const gathered = await gather(cluster, name, signal);
    const { backup, survey, state } = gathered;
    const again = `Delete ${describeRef(backupRef(name))} to begin again`;
    if (backup?.stage === 'HandingBack')
      throw refusal(name, { why: 'it is being handed back', hint: 'End that by `slipway adopt undo` first' });
    if (backup?.stage === 'HandedOver' && survey.subscription !== undefined && !isHeldAlone(survey.csv))
      throw refusal(name, { why: 'OLM has it again since it was handed over', hint: again });
    // Slipway's Subscription takes part before the ClusterServiceVersion is released.
    const isGone = [survey.subscription, survey.csv, state.subscription].every((one) => one === undefined);
    if (backup?.stage === 'HandingOver' && isGone) throw refusal(name, { why: GONE, hint: again });
    return { step: nextStep(state), gathered };
  }

  /**
   * Carries out a step. A conflict with another writer is no error: the next state decides again.
   * @throws ReasonedError Collision, not retried, if the operator cannot be handed over; the errors of the client
   */
  async carryOut(step: StepName, gathered: Gathered): Promise<void> {
    await allowingConflicts(this.#act(step, gathered));
  }

  async #act(step: StepName, gathered: Gathered): Promise<void> {
    const { backup } = gathered;
    if (!isAct(step)) return undefined;
    if (step === 'BackUp') return this.#backUp(gathered);
    if (backup === undefined) throw new Error(`step ${step} needs a backup`);
    const acts: Readonly<Record<Exclude<ActName, 'BackUp'>, () => Promise<void>>> = {
      Pause: () => this.#olm.pause(backup, gathered),
      Hold: () => this.#olm.hold(backup, gathered),
      Delete: () => this.#olm.delete(backup, gathered),
      DeleteSubscription: () => this.#olm.deleteSubscription(backup, gathered),
      HandOver: () => this.#handOver(gathered.state.marked, backup),
      Subscribe: () => this.#slipway.subscribe(backup, gathered.state.condition.live),
      Forget: () => this.#forget(gathered.state.csv),
      Release: () => this.#release(gathered.state.csv),
      RestoreCondition: () => this.#slipway.restoreCondition(backup, gathered.state.condition.live),
      CleanUp: () => this.#cleanUp(backup, gathered.state),
      Unpin: () => this.#slipway.unpin(backup, gathered.state.subscription),
      End: () => this.#end(),
    };
    return acts[step]();
  }

  async #backUp(gathered: Gathered): Promise<void> {
    const { cluster, signal, name } = this.#options;
    const { survey } = gathered;
    const verdict = judgeOperator(survey);
    const { csv } = survey;
    if (verdict.kind !== 'ready' || csv === undefined) {
      throw refusal(name, { why: verdict.kind === 'ready' ? 'it is not installed' : verdict.message });
    }
    const operator = operatorOf(survey);
    const { own, shared } = await collectInventory(cluster, tieFactsOf(survey, operator), signal);
    const [first] = shared;
    if (first !== undefined) {
      const object = describeRef(refOf(first.object));
      throw refusal(name, {
        why: `${object} belongs to ${first.with} too. Remove one of the two operators from OLM first`,
      });
    }
    const collected = describeCollected(own, isCsv);
    if (collected !== undefined) throw refusal(name, { why: collected });
    const wanted = await this.#options.wanted(gathered);
    await this.#slipway.requireFree(wanted);
    const surprises = (await this.#options.surprises?.(gathered, { wanted, objects: own })) ?? [];
    if (surprises.length > 0) throw refusal(name, { why: surprises.join('; ') });
    const backup = makeBackup({ ...survey, csv }, operator, { wanted, objects: own });
    await cluster.create(writeBackup(backup, name.kept), {}, signal);
  }

  async #handOver(marked: readonly ObjectRef[], { operator, adoptedBy }: Backup): Promise<void> {
    const { cluster, signal } = this.#options;
    for (const ref of marked) {
      const live = await cluster.get(ref, signal);
      if (live === undefined || !isMarked(live)) continue;
      await cluster.patch(ref, handOver(live, `${operator.namespace}/${adoptedBy}`), {}, signal);
    }
  }

  /** Without these annotations OLM touches no object when the ClusterServiceVersion is gone. */
  async #forget(csv: KubeObject | undefined): Promise<void> {
    if (csv === undefined) return;
    const { cluster, signal } = this.#options;
    const { resourceVersion } = csv.metadata;
    const annotations = Object.fromEntries(TARGET_ANNOTATIONS.map((name) => [name, null]));
    await cluster.patch(refOf(csv), { metadata: { resourceVersion, annotations } }, {}, signal);
  }

  /** Bound to the version that had no annotations: OLM may have written them again. */
  async #release(csv: KubeObject | undefined): Promise<void> {
    if (csv === undefined) return;
    const { cluster, signal, sleep } = this.#options;
    await sleep(SEEN_BY_OLM_MS);
    const { resourceVersion } = csv.metadata;
    await cluster.patch(refOf(csv), { metadata: { resourceVersion, finalizers: [] } }, {}, signal);
  }

  /** The label goes off shared InstallPlans first: OLM makes the Operator object for it. */
  async #cleanUp({ operator }: Backup, { leftovers, sharedPlans }: HandOverState): Promise<void> {
    const { cluster, signal } = this.#options;
    const labels = { [componentLabel(operator.package, operator.namespace)]: null };
    for (const ref of sharedPlans) await cluster.patch(ref, { metadata: { labels } }, {}, signal);
    for (const ref of leftovers) {
      const live = await cluster.get(ref, signal);
      if (live === undefined) continue;
      const { uid = '' } = live.metadata;
      await cluster.delete(ref, { uid, propagation: 'Background' }, signal);
    }
  }

  async #end(): Promise<void> {
    const { cluster, name, signal } = this.#options;
    await cluster.patch(backupRef(name), endHandOver(), {}, signal);
  }
}
