/** Why an operator of OLM is not adopted now, before anything is changed. Sends only reads and dry runs. */
import type { Gathered } from '../../../adoption/olm-v0/gather.ts';
import { OLM } from '../../../adoption/olm-v0/kinds.ts';
import { misfitOf } from '../../../adoption/olm-v0/misfit.ts';
import type { OlmSurvey } from '../../../adoption/olm-v0/survey.ts';
import { translateSubscription } from '../../../adoption/olm-v0/translate.ts';
import { judgeOperator } from '../../../adoption/olm-v0/verdict.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { keyOfObject, type KubeObject } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { fieldsOf, textOf } from '../../../api/untyped.ts';
import type { Client } from '../../../kube/client/client.ts';
import { describeRestarts, restartsOf } from '../../hand-over-trial.ts';
import { requireRights } from './account-rights.ts';
import { accountOf } from './acting.ts';
import { pinnedTo } from './pinned.ts';

/** `NothingToAdopt`: the cluster has no OLM. Undefined if nothing is in the way, or if it has begun. */
export async function refusalOf(
  client: Pick<Cluster, 'isNamespaced'>,
  { metadata, spec }: Subscription,
  { backup, survey }: Gathered,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (backup !== undefined)
    return backup.adoptedBy === metadata.name
      ? undefined
      : `it is being handed over to Subscription ${backup.adoptedBy}. Take spec.adopt out of one of the two`;
  const verdict = judgeOperator(survey);
  if (verdict.kind === 'refused') {
    const isOlmThere = (await client.isNamespaced(OLM.subscription, signal)) !== undefined;
    return isOlmThere ? `${verdict.reason}: ${verdict.message}` : 'NothingToAdopt';
  }
  if (verdict.kind === 'after') return `${verdict.reason}: ${verdict.message}, as do Subscriptions with spec.adopt`;
  if (verdict.kind === 'wait') return undefined;
  const version = textOf(fieldsOf(survey.csv?.['spec'])['version']);
  if (version === '') return `ClusterServiceVersion ${survey.csv?.metadata.name ?? survey.name} has no version`;
  return misfitOf(spec, translateSubscription(survey, { name: metadata.name, version }));
}

/** The objects of the version to which a Subscription is pinned; throws ReasonedError if it cannot be installed. */
export type RenderPinned = (pinned: Subscription) => Promise<readonly KubeObject[]>;

export interface BeforeAdoption {
  readonly survey: OlmSurvey;
  readonly render: RenderPinned;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/**
 * The Pods that the version of the Catalog would replace, if spec.adopt does not allow that. That the version can be installed
 * at all, and that an account may do it, is known then too. Throws as `render` and requireRights do, and the errors of the client.
 */
export async function restartsBefore(
  client: Pick<Client, keyof Cluster | 'as'>,
  subscription: Subscription,
  { survey, render, now, signal }: BeforeAdoption,
): Promise<string | undefined> {
  const pinned = pinnedTo(subscription, textOf(fieldsOf(survey.csv?.['spec'])['version']));
  const objects = await render(pinned);
  const acting = accountOf(client, subscription);
  if (subscription.spec.serviceAccountName !== undefined)
    await requireRights(acting, { survey, objects, adoptBy: keyOfObject(subscription) }, signal);
  if (subscription.spec.adopt?.restarts === 'Allow') return undefined;
  const trial = { subscription: pinned, objects, now, signal };
  const restarts = describeRestarts(await restartsOf(acting, trial));
  return restarts.length === 0 ? undefined : `${restarts.join('; ')}. ${REMEDY}`;
}

const REMEDY = 'Undo the change that the fields name; if the restart is acceptable, set spec.adopt.restarts to Allow';
