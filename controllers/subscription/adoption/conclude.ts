/**
 * A Subscription is deleted before its operator is taken over, by `spec.adopt` or by the command line. The hand-over is called
 * off, or ends with the Subscription, so that no object of OLM stays held; an event reports the outcome, and the command if a
 * right lacks.
 */
import type { Conclusion, StageAtDeletion } from '../../../adoption/conclusion.ts';
import { conclude as concludeV0 } from '../../../adoption/olm-v0/conclude.ts';
import { backupRef as backupRefV0 } from '../../../adoption/olm-v0/backup.ts';
import { conclude as concludeV1 } from '../../../adoption/olm-v1/conclude.ts';
import { backupRef as backupRefV1 } from '../../../adoption/olm-v1/backup.ts';
import { openByBackups, openByStatus, type OpenHandOver } from '../../../adoption/open-hand-overs.ts';
import { argumentsFor, type AdoptedOperator } from '../../../adoption/successor.ts';
import { ReasonedError } from '../../../api/errors.ts';
import { describeRef, keyOfObject, type ObjectRef } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import type { EventFacts, RecordEvent } from '../../events.ts';
import type { AskForBackups } from '../../kept-backups.ts';
import { actingFor, actingForV1, type ManagerClient } from './acting.ts';

export interface ConcludeDeps {
  /** As the manager. */
  readonly client: ManagerClient;
  /** The namespace of the manager, which keeps the backups. */
  readonly namespace: string;
  readonly record: RecordEvent;
  /** Asked first, as it costs less. */
  readonly mayHaveBackups: AskForBackups;
  /** Resolves after the milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** The backups of the hand-overs that end with their Subscription. Can be repeated. Throws errors that pass by themselves: nothing else holds the uninstall up. */
export async function concludeHandOvers(
  deps: ConcludeDeps,
  subscription: Subscription,
  signal: AbortSignal,
): Promise<readonly ObjectRef[]> {
  const ending: ObjectRef[] = [];
  for (const { operator, stage } of await openFor(deps, subscription, signal)) {
    const leaving = new LeavingHandOver(operator, { deps, subscription, stage });
    const { event, ends } = await leaving.end(signal);
    if (event !== undefined) deps.record(subscription, { type: 'Warning', action: 'Remove', ...event });
    if (ends !== undefined) ending.push(ends);
  }
  return ending;
}

/** None if the backups cannot be read. */
async function openFor(
  { client, namespace: kept, mayHaveBackups }: ConcludeDeps,
  subscription: Subscription,
  signal: AbortSignal,
): Promise<readonly OpenHandOver[]> {
  const reported = openByStatus(subscription);
  if (reported !== undefined) return reported;
  try {
    if (!(await mayHaveBackups(subscription.metadata.name))) return [];
    return await openByBackups(client, subscription, { kept, signal });
  } catch (error) {
    if (!(error instanceof ReasonedError) || !LASTING.has(error.reason)) throw error;
    return [];
  }
}

interface LeavingFacts {
  readonly deps: ConcludeDeps;
  readonly subscription: Subscription;
  readonly stage: StageAtDeletion;
}

interface LeavingOutcome {
  /** About the outcome; undefined if there is nothing to report. */
  readonly event: ConclusionEvent | undefined;
  /** The backup, if the hand-over ends. */
  readonly ends: ObjectRef | undefined;
}

type ConclusionEvent = Pick<EventFacts, 'reason' | 'note'> & Partial<Pick<EventFacts, 'type'>>;

class LeavingHandOver {
  readonly #operator: AdoptedOperator;
  readonly #leaving: LeavingFacts;
  readonly #backup: ObjectRef;
  /** The arguments of `slipway adopt run` and `slipway adopt undo`. */
  readonly #named: string;

  constructor(operator: AdoptedOperator, leaving: LeavingFacts) {
    this.#operator = operator;
    this.#leaving = leaving;
    const { deps, subscription } = leaving;
    const { namespace = '' } = subscription.metadata;
    const [isV0, { name }] = [operator.from === 'OLMv0', operator];
    this.#backup = isV0
      ? backupRefV0({ namespace, subscription: name, kept: deps.namespace })
      : backupRefV1({ extension: name, kept: deps.namespace });
    this.#named = argumentsFor(subscription.metadata, operator);
  }

  async end(signal: AbortSignal): Promise<LeavingOutcome> {
    const backup = this.#backup;
    try {
      const conclusion = await this.#conclude(signal);
      const event = this.#outcome(conclusion);
      return { event, ends: conclusion === 'Ended' ? backup : undefined };
    } catch (error) {
      if (!(error instanceof ReasonedError) || !LASTING.has(error.reason)) throw error;
      const note = `The hand-over from OLM has not ended: ${error.describe()}. ${this.#remedy()}`;
      const isReadable = this.#leaving.stage === 'TakingOver' && error.reason === 'Forbidden';
      return { event: { reason: error.reason, note }, ends: isReadable ? backup : undefined };
    }
  }

  #conclude(signal: AbortSignal): Promise<Conclusion> {
    const { deps, subscription, stage } = this.#leaving;
    const { client, namespace: kept, sleep } = deps;
    const { metadata } = subscription;
    const { from, name } = this.#operator;
    if (from === 'OLMv0') {
      const cluster = actingFor(client, subscription, this.#backup);
      const backup = { namespace: metadata.namespace ?? '', subscription: name, kept };
      return concludeV0({ cluster, name: backup, holder: metadata.name, stage, sleep, signal });
    }
    const cluster = actingForV1(client, subscription, this.#backup);
    return concludeV1({ cluster, name: { extension: name, kept }, holder: keyOfObject(subscription), stage, signal });
  }

  #outcome(conclusion: Conclusion): ConclusionEvent | undefined {
    const backup = describeRef(this.#backup);
    switch (conclusion) {
      case 'None':
        return undefined;
      case 'Ended':
        return {
          type: 'Normal',
          reason: 'Uninstalling',
          note: 'The hand-over from OLM, which had not ended, ends with the uninstall: nothing of OLM is held any more',
        };
      case 'CalledOff':
        return {
          type: 'Normal',
          reason: 'Orphaned',
          note: 'The hand-over from OLM is called off: OLM has the operator as before',
        };
      case 'Stuck':
        return {
          reason: 'Orphaned',
          note: `The operator runs on without a manager: OLM has given it up, and Slipway has not taken it over. Go on by \`slipway adopt run ${this.#named}\`, or create the Subscription again; ${backup} has all that is needed`,
        };
    }
  }

  /** In the second case the backup notes that only the release is left. */
  #remedy(): string {
    return this.#leaving.stage === 'Preparing'
      ? `As an administrator call it off by \`slipway adopt undo ${this.#named}\`, or go on by \`slipway adopt run ${this.#named}\``
      : `As an administrator release the object of OLM that is held by \`slipway adopt run ${this.#named}\``;
  }
}

const LASTING: ReadonlySet<string> = new Set(['Forbidden', 'InputInvalid']);
