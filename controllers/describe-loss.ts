/** The words about custom resources that were lost with their CRD, for an event and a condition alike. Pure. */
import { ANNOTATION } from '../api/names.ts';
import type { Loss } from '../api/repair.ts';

/** Which custom resources were lost, and how many if that is known. */
export function describeLoss({ crd, since, message }: Loss): string {
  return `CustomResourceDefinition ${crd} was deleted (noticed ${since}), and all of its custom resources with it: ${message}`;
}

/** The advice for losses up to a time. */
export function adviseOnLoss(
  { metadata }: { readonly metadata: { readonly name: string; readonly namespace?: string } },
  until: string,
): string {
  return `The CRD is there again, and empty: restore its objects from a backup. Then acknowledge the loss: kubectl -n ${metadata.namespace} annotate subscriptions.slipway.dev ${metadata.name} --overwrite ${ANNOTATION.lossesAcknowledgedAt}=${until}`;
}
