/**
 * Adopts an operator of OLM v0 for a Subscription with `spec.adopt`: goes on with the steps of adoption/olm-v0 until one has to
 * be waited for, and reports each in the status. Each step can be repeated; the state is the cluster, so that any replica
 * goes on. The controller of Subscriptions calls it before it decides. See decision 30.
 */
import { backupRef, type Backup } from '../../../adoption/olm-v0/backup.ts';
import type { Gathered } from '../../../adoption/olm-v0/gather.ts';
import { HandOver } from '../../../adoption/olm-v0/hand-over.ts';
import { describeStep } from '../../../adoption/olm-v0/sentences.ts';
import { STEPS, type StepName } from '../../../adoption/olm-v0/steps.ts';
import { pinOf } from '../../../adoption/olm-v0/successor.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { isReady } from '../../../api/conditions.ts';
import { ReasonedError } from '../../../api/errors.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Reason } from '../../../api/reasons.ts';
import type { Adoption, Subscription } from '../../../api/subscription.ts';
import { fieldsOf, textOf } from '../../../api/untyped.ts';
import type { Client } from '../../../kube/client/client.ts';
import type { RecordEvent } from '../../events.ts';
import { writeStatus } from '../../status.ts';
import { actingFor } from './acting.ts';
import { refusalOf, restartsBefore, type RenderPinned } from './refusal.ts';
import { eventOf, withReport, type AdoptionReport } from './report.ts';
import { adoptionRequest } from './request.ts';

export interface AdoptionDeps {
  /** As the manager. */
  readonly client: Pick<Client, keyof Cluster | 'as'>;
  /** The namespace of the manager, which keeps the backups. */
  readonly namespace: string;
  readonly record: RecordEvent;
  readonly now: () => Date;
  /** Resolves after the milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
}

export interface Advance {
  /** As its status is now. */
  readonly subscription: Subscription;
  /** `holding`: nothing is to be installed. `takingOver`: the version that OLM had, and no other one. */
  readonly state: 'none' | 'holding' | 'takingOver';
  /** When to go on. */
  readonly againSeconds?: number;
}

/** OLM, the collector and the roll-out of the version take moments; a person takes longer. */
const SOON_SECONDS = 2;
const LATER_SECONDS = 30;

/** Throws errors that pass by themselves: a lost lead, an API server that does not answer, a conflict. */
export async function advanceAdoption(
  deps: AdoptionDeps,
  subscription: Subscription,
  signal: AbortSignal,
  render: RenderPinned,
): Promise<Advance> {
  const request = adoptionRequest(subscription);
  if (request.kind === 'none') return { subscription, state: 'none' };
  const run = new AdoptionRun(deps, subscription, { signal, render });
  if (request.kind === 'pointless') return run.refuse(POINTLESS, { isOver: true });
  // Its own roll-out is reported by Ready; no request is needed to know that it is not over.
  if (subscription.status?.adoption?.stage === 'TakingOver' && !isReady(subscription)) return run.pause(SOON_SECONDS);
  return run.goOn(request.subscription);
}

const POINTLESS = 'the Subscription has installed an operator by itself, so spec.adopt has no effect. Take it out';

type Said = Pick<AdoptionReport, 'reason' | 'message'> & Partial<Pick<AdoptionReport, 'holds'>>;

interface RunOptions {
  readonly signal: AbortSignal;
  readonly render: RenderPinned;
}

/** The steps of one reconcile. */
class AdoptionRun {
  readonly #deps: AdoptionDeps;
  readonly #signal: AbortSignal;
  readonly #render: RenderPinned;
  #subscription: Subscription;

  constructor(deps: AdoptionDeps, subscription: Subscription, { signal, render }: RunOptions) {
    this.#deps = deps;
    this.#subscription = subscription;
    this.#signal = signal;
    this.#render = render;
  }

  async goOn(name: string): Promise<Advance> {
    try {
      return await this.#steps(name);
    } catch (error) {
      if (!(error instanceof ReasonedError) || PASSING.has(error.reason)) throw error;
      await this.#tell({ reason: error.reason, message: `${error.describe()}${this.#remedy(error, name)}` });
      return this.pause(LATER_SECONDS);
    }
  }

  /** The state that the status has now. */
  pause(againSeconds: number): Advance {
    const { stage = 'Preparing' } = this.#subscription.status?.adoption ?? {};
    const state = stage === 'Preparing' ? 'holding' : stage === 'TakingOver' ? 'takingOver' : 'none';
    return { subscription: this.#subscription, state, againSeconds };
  }

  async refuse(message: string, { isOver = false } = {}): Promise<Advance> {
    await this.#tell({ reason: 'AdoptionRefused', message, ...(isOver && { holds: false }) });
    return isOver ? { subscription: this.#subscription, state: 'none' } : this.pause(LATER_SECONDS);
  }

  async #steps(name: string): Promise<Advance> {
    const handOver = this.#handOverOf(name);
    for (let before: StepName | undefined; ;) {
      const { step, gathered } = await handOver.next();
      const { client } = this.#deps;
      const refusal = await refusalOf(client, this.#subscription, gathered, this.#signal);
      if (refusal === 'NothingToAdopt') return { subscription: this.#subscription, state: 'none' };
      if (refusal !== undefined) return this.refuse(refusal);
      await this.#report(name, step, gathered);
      if (step === 'Done') return { subscription: this.#subscription, state: 'none' };
      // The same step again: another writer was faster, and the cache has to catch up.
      if (step.startsWith('Await') || step === before) return this.pause(SOON_SECONDS);
      const restarts = step === 'BackUp' ? await this.#restarts(gathered) : undefined;
      if (restarts !== undefined) return this.refuse(restarts);
      await handOver.carryOut(step, gathered);
      before = step;
    }
  }

  #restarts({ survey }: Gathered): Promise<string | undefined> {
    const { client, now } = this.#deps;
    const asked = { survey, render: this.#render, now: now(), signal: this.#signal };
    return restartsBefore(client, this.#subscription, asked);
  }

  #handOverOf(name: string): HandOver {
    const { client, namespace: kept, sleep } = this.#deps;
    const backup = { namespace: this.#subscription.metadata.namespace ?? '', subscription: name, kept };
    return new HandOver({
      cluster: actingFor(client, this.#subscription, backupRef(backup)),
      name: backup,
      wanted: (gathered) => this.#pinned(gathered),
      successor: {
        begin: (kept) => this.#enter('TakingOver', kept),
        free: () => this.#enter('HandedOver'),
      },
      sleep,
      signal: this.#signal,
    });
  }

  /** The Subscription as the command line would create it, so that a person can go on by that. */
  #pinned({ survey }: Gathered): KubeObject {
    const { apiVersion, kind, metadata, spec } = this.#subscription;
    const { adopt: _adopt, ...rest } = spec;
    const version = textOf(fieldsOf(survey.csv?.['spec'])['version']);
    const { name, namespace = '' } = metadata;
    return { apiVersion, kind, metadata: { name, namespace }, spec: { ...rest, version, dependencies: 'Ignore' } };
  }

  async #report(name: string, step: StepName, gathered: Gathered): Promise<void> {
    if (step === 'Done')
      return this.#tell({ reason: 'Adopted', message: doneBy(gathered) }, this.#adoption(name, step));
    const message = `Step ${STEPS.indexOf(step) + 1} of ${STEPS.length - 1}: ${describeStep(step, gathered)}`;
    const hasBackup = gathered.backup !== undefined;
    await this.#tell({ reason: 'Adopting', message }, this.#adoption(name, step, hasBackup));
  }

  #adoption(name: string, step: StepName, hasBackup = true): Adoption {
    const { namespace: kept } = this.#deps;
    const { metadata, status } = this.#subscription;
    const { stage = 'Preparing', version } = status?.adoption ?? {};
    const ref = backupRef({ namespace: metadata.namespace ?? '', subscription: name, kept });
    return {
      subscription: name,
      stage,
      step,
      ...(version !== undefined && { version }),
      ...(hasBackup && { backup: { namespace: kept, name: ref.name } }),
    };
  }

  async #enter(stage: Adoption['stage'], backup?: Backup): Promise<void> {
    const { adoption } = this.#subscription.status ?? {};
    if (adoption === undefined) throw new Error(`stage ${stage} without a report before`);
    const entered = { ...adoption, stage, ...(backup !== undefined && { version: pinOf(backup) }) };
    const message =
      stage === 'TakingOver' ? 'OLM manages it no longer; the same version is applied' : 'Upgrades go on from now';
    await this.#tell({ reason: 'Adopting', message }, entered);
  }

  async #tell(said: Said, adoption = this.#subscription.status?.adoption): Promise<void> {
    const { client, record, now } = this.#deps;
    const isPreparing = adoption === undefined || adoption.stage === 'Preparing';
    const report = { holds: isPreparing && said.reason !== 'Adopted', ...said, adoption };
    const event = eventOf(this.#subscription, report);
    if (event !== undefined) record(this.#subscription, event);
    this.#subscription = await writeStatus(client, this.#subscription, withReport(this.#subscription, report, now()));
  }

  #remedy({ reason }: ReasonedError, name: string): string {
    if (reason !== 'Forbidden') return '';
    const { metadata, spec } = this.#subscription;
    if (spec.serviceAccountName !== undefined)
      return `. An operator is adopted with the rights of ServiceAccount ${spec.serviceAccountName}: grant it this right, or leave the adoption to an administrator`;
    return `. Grant the manager the rights on OLM's objects by deploy/overlays/adoption-olm-v0 or the chart value adoption.olmV0, or hand over by the command line, without spec.adopt: slipway adopt run ${metadata.namespace}/${name}`;
  }
}

function doneBy({ backup }: Gathered): string {
  const { operator } = backup ?? {};
  return `${operator?.csv ?? 'The operator'} is taken over from OLM; its backup is the way back, until it is deleted`;
}

/** Errors that the controller backs off from. */
const PASSING: ReadonlySet<string> = new Set<Reason>(['Conflict', 'LeaderLost', 'ApiUnavailable']);
