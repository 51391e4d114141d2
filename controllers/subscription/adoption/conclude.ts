/**
 * A Subscription with `spec.adopt` is deleted before its operator is taken over. The hand-over is called off, or ends with the
 * Subscription, so that no object of OLM stays held; an event reports the outcome, and the commands if a right lacks.
 */
import type { Conclusion, StageAtDeletion } from '../../../adoption/conclusion.ts';
import { conclude as concludeV0 } from '../../../adoption/olm-v0/conclude.ts';
import { backupRef as backupRefV0 } from '../../../adoption/olm-v0/backup.ts';
import { HOLD, TARGET_ANNOTATIONS } from '../../../adoption/olm-v0/kinds.ts';
import { conclude as concludeV1 } from '../../../adoption/olm-v1/conclude.ts';
import { backupRef as backupRefV1 } from '../../../adoption/olm-v1/backup.ts';
import { operatorIn, type AdoptedOperator } from '../../../adoption/successor.ts';
import { ReasonedError } from '../../../api/errors.ts';
import { describeRef, keyOfObject, type ObjectRef } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import type { EventFacts, RecordEvent } from '../../events.ts';
import { actingFor, actingForV1, type ManagerClient } from './acting.ts';

export interface ConcludeDeps {
  /** As the manager. */
  readonly client: ManagerClient;
  /** The namespace of the manager, which keeps the backups. */
  readonly namespace: string;
  readonly record: RecordEvent;
  /** Resolves after the milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** Can be repeated. Throws errors that pass by themselves: nothing else holds the uninstall up. */
export async function concludeHandOver(
  deps: ConcludeDeps,
  subscription: Subscription,
  signal: AbortSignal,
): Promise<void> {
  const { adoption } = subscription.status ?? {};
  const operator = operatorIn(adoption);
  if (adoption === undefined || operator === undefined || adoption.stage === 'HandedOver') return;
  const leaving = new LeavingHandOver(operator, { deps, subscription, stage: adoption.stage });
  const event = await leaving.end(signal);
  if (event !== undefined) deps.record(subscription, { type: 'Warning', action: 'Remove', ...event });
}

interface LeavingFacts {
  readonly deps: ConcludeDeps;
  readonly subscription: Subscription;
  readonly stage: StageAtDeletion;
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
    this.#named = isV0 ? `${namespace}/${name}` : `${name} --from olm-v1`;
  }

  /** The event about the outcome; undefined if there is nothing to report. */
  async end(signal: AbortSignal): Promise<ConclusionEvent | undefined> {
    try {
      return this.#outcome(await this.#conclude(signal));
    } catch (error) {
      if (!(error instanceof ReasonedError) || !LASTING.has(error.reason)) throw error;
      return {
        reason: error.reason,
        note: `The hand-over from OLM has not ended: ${error.describe()}. ${this.#remedy()}`,
      };
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
      case 'Ended':
        if (this.#leaving.subscription.status?.installed !== undefined) return undefined;
        return {
          reason: 'Orphaned',
          note: `Objects that OLM had made for the operator may stay, as Slipway had not installed its version yet; ${backup} lists them. To delete them, create the Subscription again without spec.adopt, and delete it once it is Ready`,
        };
    }
  }

  #remedy(): string {
    if (this.#leaving.stage === 'Preparing')
      return `As an administrator call it off by \`slipway adopt undo ${this.#named}\`, or go on by \`slipway adopt run ${this.#named}\``;
    const { namespace = '', name } = this.#backup;
    return `As an administrator ${this.#release()}, and then kubectl --namespace ${namespace} delete secret ${name}`;
  }

  /** Each finalizer but that of Slipway was gone before Slipway's Subscription took part. */
  #release(): string {
    const { from, name } = this.#operator;
    if (from === 'OLMv1')
      return `release the ClusterExtension: kubectl patch clusterextensions.olm.operatorframework.io ${name} --type merge --patch '{"metadata":{"finalizers":null}}'`;
    const { namespace } = this.#leaving.subscription.metadata;
    return `take the annotations ${TARGET_ANNOTATIONS.join(', ')} off the ClusterServiceVersion in namespace ${namespace} that has the finalizer ${HOLD}, then this finalizer`;
  }
}

const LASTING: ReadonlySet<string> = new Set(['Forbidden', 'InputInvalid']);
