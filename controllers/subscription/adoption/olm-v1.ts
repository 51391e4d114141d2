/**
 * An operator of OLM v1 on its way to a Subscription with `spec.adopt`. A ClusterExtension is an object of the cluster: a
 * Subscription adopts only one that installs in its own namespace, and only with an account that may change and delete it.
 * Only reads and dry runs before the first step. See decision 35.
 */
import { backupRef, type BackupName } from '../../../adoption/olm-v1/backup.ts';
import type { Gathered } from '../../../adoption/olm-v1/gather.ts';
import { HandOver } from '../../../adoption/olm-v1/hand-over.ts';
import { EXTENSION, extensionRef } from '../../../adoption/olm-v1/kinds.ts';
import { handOver } from '../../../adoption/olm-v1/marks.ts';
import { describeStep } from '../../../adoption/olm-v1/sentences.ts';
import { STEPS, type StepName } from '../../../adoption/olm-v1/steps.ts';
import { translateExtension, type Translation } from '../../../adoption/olm-v1/translate.ts';
import { installedBundle } from '../../../adoption/olm-v1/extension.ts';
import { judgeExtension } from '../../../adoption/olm-v1/verdict.ts';
import { misfitOf } from '../../../adoption/misfit.ts';
import { HOLD } from '../../../adoption/olm-v0/kinds.ts';
import { describeRef, keyOfObject, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import { fieldsOf, textOf } from '../../../api/untyped.ts';
import type { ToTakeOver } from './account-rights.ts';
import { actingForV1 } from './acting.ts';
import { heldByAnother, stepMessage, type Departure, type DepartureOptions, type DepartureStep } from './departure.ts';
import { pinnedManifest } from './pinned.ts';
import { obstacleTo } from './trial.ts';

export class DepartureFromV1 implements Departure {
  readonly backup: ObjectRef;
  readonly withoutRights: string;
  readonly #options: DepartureOptions;
  readonly #name: string;
  readonly #handOver: HandOver;

  /** @param name Name of the ClusterExtension. */
  constructor(name: string, options: DepartureOptions) {
    this.#options = options;
    this.#name = name;
    const { client, subscription, namespace: kept, successor, signal } = options;
    const backup: BackupName = { extension: name, kept };
    this.backup = backupRef(backup);
    this.withoutRights = `Grant the manager the rights on ClusterExtensions by deploy/rights/adoption-olm-v1 or the chart value adoption.olmV1, or hand over by the command line, without spec.adopt: slipway adopt run ${name} --from olm-v1`;
    this.#handOver = new HandOver({
      cluster: actingForV1(client, subscription, this.backup),
      name: backup,
      wanted: (gathered) => this.#wanted(gathered),
      obstacle: async () => undefined,
      successor,
      namespace: subscription.metadata.namespace ?? '',
      signal,
    });
  }

  async next(): Promise<DepartureStep> {
    const { step, gathered } = await this.#handOver.next();
    return {
      step,
      message: messageOfV1(step, gathered),
      hasBackup: gathered.backup !== undefined,
      refusal: () => this.#refusal(gathered),
      obstacle: () => this.#obstacle(gathered),
      carryOut: () => this.#handOver.carryOut(step, gathered),
    };
  }

  /** The range is that of the ClusterExtension, which gets it back if the hand-over has to begin again. */
  #wanted({ survey }: Gathered): Translation {
    const { subscription } = this.#options;
    const { range } = translateExtension(survey, { name: subscription.metadata.name });
    const manifest = pinnedManifest(subscription, installedBundle(survey.extension).version);
    return { manifest, ...(range !== undefined && { range }) };
  }

  async #refusal({ backup, survey }: Gathered): Promise<string | undefined> {
    const { client, subscription, signal } = this.#options;
    if (backup !== undefined) return heldByAnother(backup.wanted, subscription);
    const { extension } = survey;
    if (extension === undefined && (await client.isNamespaced(EXTENSION, signal)) === undefined)
      return 'NothingToAdopt';
    const elsewhere = extension && misplacement(extension, subscription);
    if (elsewhere !== undefined) return elsewhere;
    const verdict = judgeExtension(survey);
    if (verdict.kind === 'refused') return `${verdict.reason}: ${verdict.message}`;
    if (verdict.kind === 'wait') return undefined;
    const { manifest } = translateExtension(survey, { name: subscription.metadata.name });
    return misfitOf(subscription.spec, manifest);
  }

  #obstacle({ survey }: Gathered): Promise<string | undefined> {
    const { extension, objects } = survey;
    const { name: bundle, version } = installedBundle(extension);
    const adoptBy = keyOfObject(this.#options.subscription);
    const marked = objects.map((object) => ({
      object,
      patch: handOver(object, { extension: this.#name, adoptBy }),
    }));
    const own = extension === undefined ? [] : [{ object: extension, patch: holding(extension) }];
    const takesOver = async (): Promise<ToTakeOver> => ({
      patches: [...own, ...marked],
      deletes: own.map(({ object }) => object),
    });
    return obstacleTo(this.#options, { version, bundle, takesOver });
  }
}

/** The patch that holds a ClusterExtension, which is tried. */
function holding({ metadata: { resourceVersion, finalizers = [] } }: KubeObject): Readonly<Record<string, unknown>> {
  return { metadata: { resourceVersion, finalizers: [...finalizers, HOLD] } };
}

function misplacement({ metadata: { name }, spec }: KubeObject, { metadata }: KubeObject): string | undefined {
  const namespace = textOf(fieldsOf(spec)['namespace']);
  return namespace === metadata.namespace
    ? undefined
    : `${describeRef(extensionRef(name))} installs in namespace ${namespace}. Create the Subscription in that namespace`;
}

function messageOfV1(step: StepName, { backup, state }: Gathered): string {
  if (step === 'Done')
    return `${installedBundle(backup?.olm).name} is taken over from OLM; its backup is the way back, until it is deleted`;
  return stepMessage(STEPS, step, describeStep(step, state));
}
