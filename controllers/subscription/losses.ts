/**
 * Which custom resources were lost with their CRD, until a person acknowledges it. A loss outlasts the Revision that
 * noticed it: an upgrade a minute later must not hide it. Pure.
 */
import type { NextCondition } from '../../api/conditions.ts';
import { ANNOTATION } from '../../api/names.ts';
import { MOST_LOSSES, type Loss } from '../../api/repair.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { adviseOnLoss, describeLoss } from '../describe-loss.ts';

/** The losses in the status and those that the Revisions have noticed; the newest last. */
export function lossesOf({ metadata, status }: Subscription, revisions: readonly Revision[]): readonly Loss[] {
  const noticed = revisions.flatMap((revision) => revision.status?.losses ?? []);
  const all = new Map([...(status?.losses ?? []), ...noticed].map((loss) => [loss.uid, loss]));
  const until = Date.parse(metadata.annotations?.[ANNOTATION.lossesAcknowledgedAt] ?? '');
  return [...all.values()].filter(({ since }) => !(Date.parse(since) <= until)).slice(-MOST_LOSSES);
}

/** The condition about losses, if there are any. */
export function conditionOfLosses(
  subscription: Pick<Subscription, 'metadata'>,
  losses: readonly Loss[],
): readonly NextCondition[] {
  const last = losses
    .map(({ since }) => since)
    .toSorted((a, b) => Date.parse(a) - Date.parse(b))
    .at(-1);
  if (last === undefined) return [];
  const message = `${losses.map(describeLoss).join('; ')}. ${adviseOnLoss(subscription, last)}`;
  return [{ type: 'CustomResourcesLost', status: 'True', reason: 'CustomResourcesLost', message }];
}

/** The losses for the column STATUS, after the state of the operator. */
export function remarkOnLosses(losses: readonly Loss[]): string {
  if (losses.length === 0) return '';
  const crds = [...new Set(losses.map(({ crd }) => crd))];
  const named = crds.length > 3 ? `${crds.length} CRDs` : crds.join(' and ');
  return `; the custom resources of ${named} were lost, see the condition CustomResourcesLost`;
}
