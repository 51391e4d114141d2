/**
 * The end of an adopted operator: an uninstall deletes the rights that OLM had given it and that no Revision lists, and then the
 * backup; if its objects stay, so do these. Nothing here holds an uninstall up: an object that stays has an event.
 */
import type { Kept } from '../../../adoption/kept.ts';
import { findRemains, hasHadOperator, removeRemains, type FoundRemains } from '../../../adoption/removal.ts';
import { endHandOver } from '../../../adoption/olm-v0/backup.ts';
import { HOLD } from '../../../adoption/olm-v0/kinds.ts';
import { untieAll, untieObjects } from '../../../adoption/olm-v0/untie.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { ReasonedError } from '../../../api/errors.ts';
import { describeRef, groupKind, type ObjectRef } from '../../../api/object.ts';
import { leavesObjects, type Subscription } from '../../../api/subscription.ts';
import { finalizerParts } from '../../../apply/listed-parts.ts';
import type { Client } from '../../../kube/client/client.ts';
import type { EventFacts, RecordEvent } from '../../events.ts';
import { nameSome } from '../../../apply/name-some.ts';
import type { AskForBackups } from '../../kept-backups.ts';
import { accountOf } from './acting.ts';
import { concludeHandOvers } from './conclude.ts';

export interface EndDeps {
  /** As the manager. */
  readonly client: Pick<Client, keyof Cluster | 'as'>;
  /** The namespace of the manager, which keeps the backups. */
  readonly namespace: string;
  readonly record: RecordEvent;
  /** Asked first, as it costs less. */
  readonly mayHaveBackups: AskForBackups;
  /** Resolves after the milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** The last step before the Subscription goes. Can be repeated. Throws errors that pass by themselves. */
export async function endAdoption(deps: EndDeps, subscription: Subscription, signal: AbortSignal): Promise<void> {
  const ending = await concludeHandOvers(deps, subscription, signal);
  if (leavesObjects(subscription)) {
    await keepAll(deps, subscription, signal);
    return noteEnds(deps, ending, signal);
  }
  const judged = await remainsOf(deps, subscription, { ending, signal });
  for (const found of judged) {
    // A tenant has the manager delete only objects that the account may delete.
    const staying = found.kept.map(({ ref }) => ref);
    await untieObjects(deps.client, staying, signal);
    const { deleted, refused } = await removeRemains(accountOf(deps.client, subscription), found, signal);
    for (const event of eventsOf(found, deleted, refused)) deps.record(subscription, event);
    // It is the list of the objects that are left to be deleted, and to be released.
    const isNeeded = refused.length > 0 || found.runsOn || (await isHeld(deps.client, found, signal));
    if (!isNeeded) await deps.client.delete(found.backup, {}, signal);
  }
  for (const backup of ending)
    if (!judged.some((found) => found.backup.name === backup.name && !found.runsOn))
      deps.record(subscription, {
        type: 'Warning',
        reason: 'Orphaned',
        action: 'Remove',
        note: describeRunning(backup),
      });
  await noteEnds(deps, ending, signal);
}

/** Whether the object of OLM waits for Slipway. The manager may list every object, and read none of OLM. */
async function isHeld({ list }: Pick<Cluster, 'list'>, { held }: FoundRemains, signal: AbortSignal): Promise<boolean> {
  const { apiVersion, kind, namespace, name } = held;
  const options = { ...(namespace !== undefined && { namespace }), metadataOnly: true, keep: finalizerParts };
  const live = await list({ apiVersion, kind }, options, signal);
  return live.some(({ metadata }) => metadata.name === name && metadata.finalizers?.includes(HOLD) === true);
}

function describeRunning(backup: ObjectRef): string {
  return `Objects that OLM had made for the operator may stay, as Slipway had not installed its version yet; ${describeRef(backup)} lists them. To delete them, create the Subscription again without spec.adopt, and delete it once it is Ready`;
}

/** Last, so that a manager that is stopped before goes on with the same hand-overs. */
async function noteEnds({ client }: EndDeps, ending: readonly ObjectRef[], signal: AbortSignal): Promise<void> {
  for (const backup of ending)
    if ((await client.get(backup, signal)) !== undefined) await client.patch(backup, endHandOver(), {}, signal);
}

/** An owner reference would have the collector delete them with the Subscription. */
async function keepAll({ client, record }: EndDeps, subscription: Subscription, signal: AbortSignal): Promise<void> {
  const kept = await untieAll(client, subscription, signal);
  if (kept.length === 0) return;
  const note = `Objects that OLM had made for the operator stay too: ${nameRefs(kept)}`;
  record(subscription, { type: 'Normal', reason: 'Orphaned', action: 'Remove', note });
}

/** None if the backups cannot be read: the end of a Subscription does not depend on them. */
async function remainsOf(
  { client, namespace: kept, record, mayHaveBackups }: EndDeps,
  subscription: Subscription,
  { ending, signal }: { readonly ending: readonly ObjectRef[]; readonly signal: AbortSignal },
): Promise<readonly FoundRemains[]> {
  const names = new Set(ending.map(({ name }) => name));
  try {
    if (names.size > 0)
      return await findRemains(client, subscription, { kept, ends: (name) => names.has(name), signal });
    if (!hasHadOperator(subscription) || !(await mayHaveBackups(subscription.metadata.name))) return [];
    return await findRemains(client, subscription, { kept, signal });
  } catch (error) {
    if (!(error instanceof ReasonedError) || !LASTING.has(error.reason)) throw error;
    // Without a trace of an adoption there is most likely none.
    if (error.reason === 'Forbidden' && subscription.status?.adoption === undefined) return [];
    const note = `Objects that OLM had made for the operator may stay: ${error.describe()}`;
    record(subscription, { type: 'Warning', reason: error.reason, action: 'Remove', note });
    return [];
  }
}

const LASTING: ReadonlySet<string> = new Set(['Forbidden', 'InputInvalid']);

function eventsOf(
  { kept, backup }: FoundRemains,
  deleted: readonly ObjectRef[],
  refused: readonly Kept[],
): readonly EventFacts[] {
  const stays = (reason: 'DeleteBlocked' | 'Forbidden', { ref, why }: Kept, more: string): EventFacts => ({
    type: 'Warning',
    reason,
    action: 'Remove',
    note: `${describeRef(ref)}, which OLM had made for the operator, stays: ${why}. ${more}: ${deletionOf(ref)}`,
  });
  const note = `Objects that OLM had made for the operator are deleted: ${nameRefs(deleted)}`;
  return [
    ...(deleted.length === 0 ? [] : [{ type: 'Normal', reason: 'Uninstalling', action: 'Remove', note } as const]),
    ...kept.map((one) => stays('DeleteBlocked', one, 'Delete it if nothing needs it')),
    ...refused.map((one) =>
      stays('Forbidden', one, `Delete it as an administrator, and then ${describeRef(backup)}, which lists it`),
    ),
  ];
}

/** The command that deletes an object. */
function deletionOf(ref: ObjectRef): string {
  const where = ref.namespace === undefined ? '' : ` --namespace ${ref.namespace}`;
  return `kubectl delete ${groupKind(ref).toLowerCase()} ${ref.name}${where}`;
}

/** The length of an event's note is limited. */
const MOST_NAMED = 5;

function nameRefs(refs: readonly ObjectRef[]): string {
  return nameSome(refs.map(describeRef), MOST_NAMED);
}
