/** Writes how far an adoption is into the status of its Subscription, and records the events. */
import type { AdoptedOperator, Successor } from '../../../adoption/successor.ts';
import type { Cluster } from '../../../api/cluster.ts';
import type { Subscription } from '../../../api/subscription.ts';
import type { Adoption } from '../../../api/subscription-status.ts';
import type { RecordEvent } from '../../events.ts';
import { addFinalizer } from '../../finalizer.ts';
import { writeStatus } from '../../status.ts';
import type { Departure, DepartureStep } from './departure.ts';
import { eventOf, withReport, type AdoptionReport } from './report.ts';

export interface AdoptionStatusDeps {
  readonly client: Pick<Cluster, 'patch'>;
  readonly record: RecordEvent;
  readonly now: () => Date;
}

type Said = Pick<AdoptionReport, 'reason' | 'message'> & Partial<Pick<AdoptionReport, 'holds'>>;

/** Throws Conflict if the Subscription has changed since it was observed. */
export class AdoptionStatus implements Successor {
  readonly #deps: AdoptionStatusDeps;
  #subscription: Subscription;

  constructor(deps: AdoptionStatusDeps, subscription: Subscription) {
    this.#deps = deps;
    this.#subscription = subscription;
  }

  /** As it was written last. */
  get subscription(): Subscription {
    return this.#subscription;
  }

  get stage(): Adoption['stage'] {
    return this.#subscription.status?.adoption?.stage ?? 'Preparing';
  }

  /** From now on a deletion of the Subscription waits until the hand-over is called off, or has ended. */
  async hold(): Promise<void> {
    this.#subscription = await addFinalizer(this.#deps.client, this.#subscription);
  }

  begin(version: string): Promise<void> {
    return this.#enter({ stage: 'TakingOver', version }, 'OLM manages it no longer; the same version is applied');
  }

  free(): Promise<void> {
    return this.#enter({ stage: 'HandedOver' }, 'Upgrades go on from now');
  }

  async report(operator: AdoptedOperator, { backup }: Pick<Departure, 'backup'>, next: DepartureStep): Promise<void> {
    const { step, message, hasBackup } = next;
    const { version } = this.#subscription.status?.adoption ?? {};
    const isOver = step === 'Done';
    const adoption: Adoption = {
      ...(operator.from === 'OLMv0' ? { subscription: operator.name } : { clusterExtension: operator.name }),
      stage: isOver ? 'HandedOver' : this.stage,
      step,
      ...(version !== undefined && { version }),
      ...(hasBackup && { backup: { namespace: backup.namespace ?? '', name: backup.name } }),
    };
    await this.say({ reason: isOver ? 'Adopted' : 'Adopting', message }, adoption);
  }

  /** Without a backup nothing has begun: the field may be taken out again. */
  async refuse(message: string, { hasBackup }: Pick<DepartureStep, 'hasBackup'>): Promise<void> {
    const { adoption } = this.#subscription.status ?? {};
    const isForgotten = adoption?.backup !== undefined && !hasBackup && this.stage === 'Preparing';
    await this.say({ reason: 'AdoptionRefused', message }, isForgotten ? withoutBackup(adoption) : adoption);
  }

  async #enter(change: Pick<Adoption, 'stage' | 'version'>, message: string): Promise<void> {
    const { adoption } = this.#subscription.status ?? {};
    if (adoption === undefined) throw new Error(`stage ${change.stage} without a report before`);
    await this.say({ reason: 'Adopting', message }, { ...adoption, ...change });
  }

  async say(said: Said, adoption = this.#subscription.status?.adoption): Promise<void> {
    const { client, record, now } = this.#deps;
    const isPreparing = adoption === undefined || adoption.stage === 'Preparing';
    const report = { holds: isPreparing && said.reason !== 'Adopted', ...said, adoption };
    const event = eventOf(this.#subscription, report);
    if (event !== undefined) record(this.#subscription, event);
    this.#subscription = await writeStatus(client, this.#subscription, withReport(this.#subscription, report, now()));
  }
}

function withoutBackup({ backup: _backup, ...adoption }: Adoption): Adoption {
  return adoption;
}
