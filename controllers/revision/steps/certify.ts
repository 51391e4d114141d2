/**
 * Adds to the objects of the bundle the credentials that they need: certificates for webhooks, and rights for custom
 * resources of the bundle's own kinds.
 */
import { certifyObjects } from '../certificates/certify.ts';
import { followServed } from '../follow-served.ts';
import { knownInventory } from '../observe.ts';
import { forOwnKinds } from '../own-kinds/for-own-kinds.ts';
import { resultOf, type Run } from '../run.ts';

/** Adds `own`, and changes `objects`. */
export async function certify(run: Run): Promise<undefined> {
  const { facts, clients, watched, shared, now, results, signal } = run;
  const { cluster } = clients;
  const options = { objects: resultOf(run, 'objects'), settled: resultOf(run, 'isSettled'), signal };
  const certified = await certifyObjects({ cluster, record: shared.record, now }, facts, options);
  const own = forOwnKinds({ ...clients, manager: shared.manager }, facts, { objects: certified, signal });
  results.own = own;
  results.objects = own.objects;
  // Kinds of intended objects are followed too: a former leader may still make them.
  await followServed({ cluster, watched }, [...own.objects, ...knownInventory(facts)], signal);
}
