/**
 * Adds to the objects of the bundle the credentials that they need in this cluster: pull secrets for Pods, certificates
 * for webhooks, and rights for custom resources of the bundle's own kinds.
 */
import { refOf, type KubeObject } from '../../../api/object.ts';
import { identityOf } from '../../../apply/identity.ts';
import { addPullSecrets } from '../pull-secrets/add.ts';
import { prepareFor } from '../../prepare-for.ts';
import { certifyObjects } from '../certificates/for-revision.ts';
import { followServed } from '../follow-served.ts';
import { knownInventory } from '../observe.ts';
import { forOwnKinds, type ForOwnKinds } from '../own-kinds/for-own-kinds.ts';
import type { Run } from '../run.ts';
import type { Loaded } from './load.ts';

export interface Equipped extends Pick<Loaded, 'known' | 'wasHealthy' | 'tried'> {
  /** The objects with their credentials, and the rights and paths for custom resources of the bundle. */
  readonly own: ForOwnKinds;
  /** Identities of the objects that differ from those of the bundle for it. */
  readonly completed: ReadonlySet<string>;
}

export async function equip(run: Run, loaded: Loaded): Promise<Equipped> {
  const { facts, clients, watched, shared, now, signal } = run;
  const { cluster } = clients;
  const { known, wasHealthy, tried, isSettled } = loaded;
  const options = { objects: withPullSecrets(run, loaded.objects), settled: isSettled, signal };
  const { record, issue } = shared;
  const certified = await certifyObjects({ cluster, record, now, issue }, facts, options);
  const own = forOwnKinds({ ...clients, manager: shared.manager }, facts, { objects: certified, signal });
  // Kinds of intended objects are followed too: a former leader may still make them.
  await followServed({ cluster, watched }, [...own.objects, ...knownInventory(facts)], signal);
  return { known, wasHealthy, tried, own, completed: completedIn(own.objects, loaded.objects) };
}

function completedIn(objects: readonly KubeObject[], loaded: readonly KubeObject[]): ReadonlySet<string> {
  const unchanged = new Set(loaded);
  return new Set(objects.filter((object) => !unchanged.has(object)).map((object) => identityOf(refOf(object))));
}

/** Noted before the objects are applied: an offer that changes meanwhile makes the Revision due again. */
function withPullSecrets({ facts, shared }: Run, objects: readonly KubeObject[]): readonly KubeObject[] {
  const { revision } = facts;
  const { offers } = shared.seenOffers;
  shared.seenOffers.note(revision);
  return offers === undefined ? objects : addPullSecrets(objects, offers, prepareFor(revision));
}
