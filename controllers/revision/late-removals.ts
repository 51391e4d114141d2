/**
 * Remembers for some minutes whose objects were removed, and removes objects that a former leader makes for them later:
 * by then no Revision is left whose inventory could list them. A controller of its own, which is called for each object
 * that appears.
 */
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import { identityOf } from '../../apply/identity.ts';
import type { Owner } from '../../apply/prepare.ts';
import { readByList } from '../../apply/read-by-list.ts';
import { ANNOTATION } from '../../api/names.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { Client } from '../../kube/client/client.ts';
import type { ObjectKey, Reconcile, ReconcileContext } from '../../kube/controller/controller.ts';
import { createRecent } from '../recent.ts';
import { removerOf } from './clients.ts';
import { ownerOf } from '../prepare-for.ts';
import { MADE_LATE, removeLate } from './late-objects.ts';
import type { RevisionFacts } from './observe.ts';

export interface LateRemovals {
  /** The objects of a Revision are being removed: objects made for it from now on are late. */
  removing(facts: RevisionFacts): void;
  /** The key to reconcile for an object that has appeared or changed; undefined if it is not late. */
  keyOf(object: KubeObject): ObjectKey | undefined;
  /** Removes the objects that were noticed. Throws errors that are to be retried. */
  readonly reconcile: Reconcile;
}

/** An API server closes a connection that is silent for 90 s, so a write does not arrive much later than that. */
const REMEMBERED_SECONDS = 600;

interface Removed {
  readonly owner: Owner;
  readonly acting: Client;
  /** By the clock of the API server, in milliseconds. */
  readonly since: number;
  /** Objects that were noticed and are not removed yet, by their identity. */
  readonly late: Map<string, KubeObject>;
  /** By the clock of this machine, in milliseconds. */
  readonly notedAt: number;
}

export interface LateRemovalsDeps {
  readonly client: Client;
  readonly now: () => Date;
}

export function createLateRemovals({ client, now }: LateRemovalsDeps): LateRemovals {
  const removed = createRecent<Removed>();

  function isRemembered({ notedAt }: Pick<Removed, 'notedAt'>): boolean {
    return now().getTime() - notedAt < REMEMBERED_SECONDS * 1000;
  }

  function of(object: KubeObject): (Removed & { readonly key: string }) | undefined {
    const key = object.metadata.annotations?.[ANNOTATION.ownerUid];
    const known = key === undefined ? undefined : removed.get(key);
    if (key === undefined || known === undefined) return undefined;
    if (isRemembered(known)) return { ...known, key };
    removed.delete(key);
    return undefined;
  }

  return {
    removing(facts) {
      const owner = ownerOf(facts.revision);
      const { deletionTimestamp } = facts.revision.metadata;
      if (owner.uid === undefined || deletionTimestamp === undefined) return;
      const { since, late } = removed.get(owner.uid) ?? { since: Date.parse(deletionTimestamp), late: new Map() };
      const acting = removerOf(client, facts) ?? client;
      removed.set(owner.uid, { owner, acting, since, late, notedAt: now().getTime() });
    },
    keyOf(object) {
      const known = of(object);
      const { creationTimestamp = '', deletionTimestamp } = object.metadata;
      if (known === undefined || deletionTimestamp !== undefined) return undefined;
      // If it was made in the second in which the removal began, the roll-out may have made it, and lists it.
      if (!(Date.parse(creationTimestamp) > known.since)) return undefined;
      known.late.set(identityOf(refOf(object)), object);
      return { name: known.key };
    },
    async reconcile({ name }, { signal, log }) {
      const known = removed.get(name);
      if (known === undefined) return;
      if (isRemembered(known)) return removeNoticed(client, known, { signal, log });
      // Such as one that the account may not delete: it is not tried for ever.
      removed.delete(name);
      for (const object of known.late.values())
        log.warn({ reason: 'LateWrite' }, `${describeRef(refOf(object))} stays, and is to be deleted: ${MADE_LATE}`);
    },
  };
}

/** Removes the late objects that were noticed until now; throws the first refusal, so that all are tried again. */
async function removeNoticed(
  client: Client,
  known: Removed,
  { signal, log }: Pick<ReconcileContext, 'signal' | 'log'>,
): Promise<void> {
  const noticed = [...known.late];
  const objects = noticed.map(([, object]) => object);
  const removals = await removeLate(readByList(client), objects, { ...known, signal });
  for (const { ref, outcome } of removals) {
    if (outcome === 'deleted') log.warn({ reason: 'LateWrite' }, `removed ${describeRef(ref)}: ${MADE_LATE}`);
  }
  const failed = removals.find(({ failure }) => failure !== undefined)?.failure;
  if (failed !== undefined) throw new ReasonedError(failed);
  for (const [identity] of noticed) known.late.delete(identity);
}
