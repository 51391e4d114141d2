/** An operator of OLM v0 on its way to a Subscription with `spec.adopt`. Only reads and dry runs before the first step. */
import { backupRef, type BackupName } from '../../../adoption/olm-v0/backup.ts';
import type { Gathered } from '../../../adoption/olm-v0/gather.ts';
import { HandOver } from '../../../adoption/olm-v0/hand-over.ts';
import { collectInventory, tieFactsOf } from '../../../adoption/olm-v0/inventory.ts';
import { OLM } from '../../../adoption/olm-v0/kinds.ts';
import { handOver } from '../../../adoption/olm-v0/marks.ts';
import { proxyOf } from '../../../adoption/olm-v0/proxy.ts';
import { describeStep } from '../../../adoption/olm-v0/sentences.ts';
import { STEPS, type StepName } from '../../../adoption/olm-v0/steps.ts';
import { operatorOf, type OlmSurvey } from '../../../adoption/olm-v0/survey.ts';
import { translateSubscription } from '../../../adoption/olm-v0/translate.ts';
import { judgeOperator } from '../../../adoption/olm-v0/verdict.ts';
import { misfitOf } from '../../../adoption/misfit.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { keyOfObject, type ObjectRef } from '../../../api/object.ts';
import { fieldsOf, textOf } from '../../../api/untyped.ts';
import type { ToTakeOver } from './account-rights.ts';
import { actingFor } from './acting.ts';
import { heldByAnother, stepMessage, type Departure, type DepartureOptions, type DepartureStep } from './departure.ts';
import { pinnedManifest } from './pinned.ts';
import { obstacleTo } from './trial.ts';

export class DepartureFromV0 implements Departure {
  readonly backup: ObjectRef;
  readonly withoutRights: string;
  readonly #options: DepartureOptions;
  readonly #acting: Cluster;
  readonly #handOver: HandOver;

  /** @param name Name of OLM's Subscription, in the namespace of Slipway's. */
  constructor(name: string, options: DepartureOptions) {
    this.#options = options;
    const { client, subscription, namespace: kept, successor, sleep, signal } = options;
    const { namespace = '' } = subscription.metadata;
    const backup: BackupName = { namespace, subscription: name, kept };
    this.backup = backupRef(backup);
    this.withoutRights = `Grant the manager the rights on OLM's objects by deploy/rights/adoption-olm-v0 or the chart value adoption.olmV0, or hand over by the command line, without spec.adopt: slipway adopt run ${namespace}/${name}`;
    this.#acting = actingFor(client, subscription, this.backup);
    this.#handOver = new HandOver({
      cluster: this.#acting,
      name: backup,
      wanted: ({ survey }) => pinnedManifest(subscription, versionOf(survey)),
      successor,
      sleep,
      signal,
    });
  }

  async next(): Promise<DepartureStep> {
    const { step, gathered } = await this.#handOver.next();
    return {
      step,
      message: messageOfV0(step, gathered),
      hasBackup: gathered.backup !== undefined,
      refusal: () => this.#refusal(gathered),
      obstacle: () => this.#obstacle(gathered),
      carryOut: () => this.#handOver.carryOut(step, gathered),
    };
  }

  async #refusal({ backup, survey }: Gathered): Promise<string | undefined> {
    const { client, subscription, signal } = this.#options;
    const { metadata, spec } = subscription;
    if (backup !== undefined) {
      const holder = { ...metadata, name: backup.adoptedBy };
      return heldByAnother({ metadata: holder }, subscription);
    }
    const verdict = judgeOperator(survey);
    if (verdict.kind === 'refused') {
      const isOlmThere = (await client.isNamespaced(OLM.subscription, signal)) !== undefined;
      return isOlmThere ? `${verdict.reason}: ${verdict.message}` : 'NothingToAdopt';
    }
    if (verdict.kind === 'after') return `${verdict.reason}: ${verdict.message}, as do Subscriptions with spec.adopt`;
    if (verdict.kind === 'wait') return undefined;
    const version = versionOf(survey);
    if (version === '') return `ClusterServiceVersion ${survey.csv?.metadata.name ?? survey.name} has no version`;
    const proxy = await proxyOf(this.#acting, survey, this.#options.signal);
    return misfitOf(spec, translateSubscription(survey, { name: metadata.name, version, proxy }).manifest);
  }

  #obstacle({ survey }: Gathered): Promise<string | undefined> {
    const { subscription, signal } = this.#options;
    const takesOver = async (account: Cluster): Promise<ToTakeOver> => {
      const { own } = await collectInventory(account, tieFactsOf(survey, operatorOf(survey)), signal);
      const adoptBy = keyOfObject(subscription);
      return { patches: own.map((object) => ({ object, patch: handOver(object, adoptBy) })), deletes: [] };
    };
    return obstacleTo(this.#options, { version: versionOf(survey), takesOver });
  }
}

function versionOf({ csv }: OlmSurvey): string {
  return textOf(fieldsOf(csv?.['spec'])['version']);
}

function messageOfV0(step: StepName, gathered: Gathered): string {
  if (step !== 'Done') return stepMessage(STEPS, step, describeStep(step, gathered));
  const { operator } = gathered.backup ?? {};
  return `${operator?.csv ?? 'The operator'} is taken over from OLM; its backup is the way back, until it is deleted`;
}
