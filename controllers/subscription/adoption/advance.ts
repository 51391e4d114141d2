/**
 * Adopts an operator of OLM for a Subscription with `spec.adopt`: goes on with the steps of adoption/ until one has to be waited
 * for, and reports each in the status. Each step can be repeated; the state is the cluster, so that any replica goes on. The
 * controller of Subscriptions calls it before it decides. See decisions 30 and 35.
 */
import type { AdoptedOperator } from '../../../adoption/successor.ts';
import { isReady } from '../../../api/conditions.ts';
import { ReasonedError } from '../../../api/errors.ts';
import type { Reason } from '../../../api/reasons.ts';
import type { Subscription } from '../../../api/subscription.ts';
import type { RecordEvent } from '../../events.ts';
import type { ManagerClient } from './acting.ts';
import type { Departure, DepartureOptions, DepartureStep } from './departure.ts';
import { DepartureFromV0 } from './olm-v0.ts';
import { DepartureFromV1 } from './olm-v1.ts';
import type { Patience } from './patience.ts';
import { adoptionRequest } from './request.ts';
import { AdoptionStatus } from './status-of-adoption.ts';
import type { RenderPinned } from './pinned.ts';

export interface AdoptionDeps {
  /** As the manager. */
  readonly client: ManagerClient;
  /** The namespace of the manager, which keeps the backups. */
  readonly namespace: string;
  readonly record: RecordEvent;
  readonly now: () => Date;
  /** Resolves after the milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly patience: Patience;
}

export interface Advance {
  /** As its status is now. */
  readonly subscription: Subscription;
  /** `holding`: nothing is to be installed. `takingOver`: the version that OLM had, and no other one. */
  readonly state: 'none' | 'holding' | 'takingOver';
  /** When to go on. */
  readonly againSeconds?: number;
}

/** A person acts next. */
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
  const status = new AdoptionStatus(deps, subscription);
  const run = new AdoptionRun(deps, status);
  if (request.kind === 'pointless') return run.endWith(POINTLESS);
  // Its own roll-out is reported by Ready; no request is needed to know that it is not over.
  if (status.stage === 'TakingOver' && !isReady(subscription)) return run.waitFor('AwaitReady');
  const { operator } = request;
  return run.goOn(operator, departureOf(operator, { ...deps, subscription, successor: status, render, signal }));
}

const POINTLESS = 'the Subscription has installed an operator by itself, so spec.adopt has no effect. Take it out';

function departureOf({ from, name }: AdoptedOperator, options: DepartureOptions): Departure {
  return from === 'OLMv0' ? new DepartureFromV0(name, options) : new DepartureFromV1(name, options);
}

/** The steps of one reconcile. */
class AdoptionRun {
  readonly #deps: Pick<AdoptionDeps, 'patience' | 'now'>;
  readonly #status: AdoptionStatus;

  constructor(deps: Pick<AdoptionDeps, 'patience' | 'now'>, status: AdoptionStatus) {
    this.#deps = deps;
    this.#status = status;
  }

  async goOn(operator: AdoptedOperator, departure: Departure): Promise<Advance> {
    try {
      return await this.#steps(operator, departure);
    } catch (error) {
      if (!(error instanceof ReasonedError) || PASSING.has(error.reason)) throw error;
      const message = `${error.describe()}${this.#remedy(error, departure)}`;
      await this.#status.say({ reason: error.reason, message });
      return this.#pause(LATER_SECONDS);
    }
  }

  /** Another program takes the step. */
  waitFor(step: string): Advance {
    const { patience, now } = this.#deps;
    return this.#pause(patience.secondsUntilNext(this.#key, step, now()));
  }

  get #key(): string {
    return this.#status.subscription.metadata.uid ?? '';
  }

  /** The state that the status has now. */
  #pause(againSeconds: number): Advance {
    const { stage, subscription } = this.#status;
    const state = stage === 'Preparing' ? 'holding' : stage === 'TakingOver' ? 'takingOver' : 'none';
    return { subscription, state, againSeconds };
  }

  async endWith(message: string): Promise<Advance> {
    await this.#status.say({ reason: 'AdoptionRefused', message, holds: false });
    return this.#end();
  }

  async #refuse(message: string, next: DepartureStep): Promise<Advance> {
    await this.#status.refuse(message, next);
    return this.#pause(LATER_SECONDS);
  }

  #end(): Advance {
    this.#deps.patience.forget(this.#key);
    return { subscription: this.#status.subscription, state: 'none' };
  }

  async #steps(operator: AdoptedOperator, departure: Departure): Promise<Advance> {
    for (let before: string | undefined; ;) {
      const next = await departure.next();
      const { step } = next;
      const refusal = await next.refusal();
      if (refusal === 'NothingToAdopt') return this.#end();
      if (refusal !== undefined) return this.#refuse(refusal, next);
      await this.#status.report(operator, departure, next);
      if (step === 'Done') return this.#end();
      // The same step again: another writer was faster, and the cache has to catch up.
      if (step.startsWith('Await') || step === before) return this.waitFor(step);
      const obstacle = step === 'BackUp' ? await next.obstacle() : undefined;
      if (obstacle !== undefined) return this.#refuse(obstacle, next);
      await this.#status.hold();
      this.#deps.patience.forget(this.#key, step);
      await next.carryOut();
      before = step;
    }
  }

  #remedy({ reason }: ReasonedError, { withoutRights }: Departure): string {
    if (reason !== 'Forbidden') return '';
    const { serviceAccountName } = this.#status.subscription.spec;
    return serviceAccountName === undefined
      ? `. ${withoutRights}`
      : `. An operator is adopted with the rights of ServiceAccount ${serviceAccountName}: grant it this right, or leave the adoption to an administrator`;
  }
}

/** Errors that the controller backs off from. */
const PASSING: ReadonlySet<string> = new Set<Reason>(['Conflict', 'LeaderLost', 'ApiUnavailable']);
