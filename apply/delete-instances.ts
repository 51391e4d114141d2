/**
 * Deletes the custom resources of the kinds that a Subscription brought, as the account that it names: the manager may
 * delete every object of the cluster, but the author of the Subscription may not. uninstall.ts calls it while the
 * operator still runs. It does not wait until the objects are gone.
 */
import { describeRef, groupKind, refOf, type DefinedKind, type KubeObject, type ObjectRef } from '../api/object.ts';
import { explainFailure, isConversionFailure, parseMissingRule, type Failure } from './api-failure.ts';
import type { Cluster } from '../api/cluster.ts';
import { listServed, mayName } from './custom-resources.ts';
import { deleteSeen, type Removal } from './remove.ts';
import { inSlots, type Slots } from './slots.ts';

export interface DeleteInstancesOptions {
  readonly slots: Slots;
  /** The only namespace whose objects messages name; absent: all are named. */
  readonly namedIn?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Deletes every object of the kinds. Refusals are part of the result, and are retried: Forbidden names the right that the
 * account lacks; this and the failure of a conversion webhook name the option to retain the objects. Throws the signal's
 * reason when aborted.
 */
export async function deleteInstances(
  cluster: Cluster,
  kinds: readonly DefinedKind[],
  options: DeleteInstancesOptions,
): Promise<Removal[]> {
  const lists = await inSlots(options, kinds, (kind) => listInstances(cluster, kind, options));
  const failures = lists.flatMap((list) => ('failure' in list ? [list] : []));
  const found = lists.flatMap((list) => ('objects' in list ? list.objects.map((object) => ({ object, ...list })) : []));
  return [...failures, ...(await inSlots(options, found, (one) => deleteInstance(cluster, one, options)))];
}

type Listed =
  | { readonly objects: readonly KubeObject[]; readonly kind: DefinedKind }
  | (Removal & { readonly failure: Failure });

async function listInstances(cluster: Cluster, kind: DefinedKind, { signal }: DeleteInstancesOptions): Promise<Listed> {
  try {
    return { objects: await listServed(cluster, kind, signal), kind };
  } catch (error) {
    const ref = { ...kind, name: '*' };
    return { ref, outcome: 'failed', failure: orRetain(explainFailure(error, describeRef(ref))) };
  }
}

async function deleteInstance(
  cluster: Cluster,
  { object, kind: { served } }: { readonly object: KubeObject; readonly kind: DefinedKind },
  { namedIn, signal }: DeleteInstancesOptions,
): Promise<Removal> {
  const ref = refOf(object);
  try {
    return await deleteSeen(cluster, object, { served, signal });
  } catch (error) {
    const failure = orRetain(explainFailure(error, describeRef(ref)));
    return { ref, outcome: 'failed', failure: mayName(object, namedIn) ? failure : unnamed(ref, failure) };
  }
}

/** Adds the two ways out of a refusal: remove its cause, or do not delete. */
function orRetain(failure: Failure): Failure {
  const remedy = remedyOf(failure);
  return remedy === undefined
    ? failure
    : { ...failure, hint: `${remedy}, or set spec.uninstall.customResources to Retain` };
}

function remedyOf(failure: Failure): string | undefined {
  if (failure.reason === 'Forbidden') return failure.hint ?? 'Grant the account the right';
  return isConversionFailure(failure) ? 'Repair the operator, so that its conversion webhook answers' : undefined;
}

/** The same failure without the object's name, which the API server's sentence also contains. */
function unnamed(ref: ObjectRef, failure: Failure): Failure {
  const rule = parseMissingRule(failure.message);
  const why = rule === undefined ? 'is not deleted' : `${rule.account} lacks the verb ${rule.verb} on ${rule.resource}`;
  return { ...failure, message: `${groupKind(ref)} in another namespace: ${why}` };
}
