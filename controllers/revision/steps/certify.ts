/**
 * Adds to the objects of the bundle the credentials that they need: pull secrets for Pods, certificates for webhooks, and
 * rights for custom resources of the bundle's own kinds.
 */
import type { KubeObject } from '../../../api/object.ts';
import { addPullSecrets } from '../pull-secrets/add.ts';
import { prepareFor } from '../../prepare-for.ts';
import { certifyObjects } from '../certificates/certify.ts';
import { followServed } from '../follow-served.ts';
import { knownInventory } from '../observe.ts';
import { forOwnKinds } from '../own-kinds/for-own-kinds.ts';
import { resultOf, type Run } from '../run.ts';

/** Adds `own`, and changes `objects`. */
export async function certify(run: Run): Promise<undefined> {
  const { facts, clients, watched, shared, now, results, signal } = run;
  const { cluster } = clients;
  const objects = withPullSecrets(run);
  const options = { objects, settled: resultOf(run, 'isSettled'), signal };
  const { record, issue } = shared;
  const certified = await certifyObjects({ cluster, record, now, issue }, facts, options);
  const own = forOwnKinds({ ...clients, manager: shared.manager }, facts, { objects: certified, signal });
  results.own = own;
  results.objects = own.objects;
  // Kinds of intended objects are followed too: a former leader may still make them.
  await followServed({ cluster, watched }, [...own.objects, ...knownInventory(facts)], signal);
}

/** Noted before the objects are applied: an offer that changes meanwhile makes the Revision due again. */
function withPullSecrets(run: Run): readonly KubeObject[] {
  const { revision } = run.facts;
  const { offers } = run.shared.seenOffers;
  run.shared.seenOffers.note(revision);
  const objects = resultOf(run, 'objects');
  return offers === undefined ? objects : addPullSecrets(objects, offers, prepareFor(revision));
}
