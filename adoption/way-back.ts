/**
 * Operators that are on their way back to OLM, and the effect on the removal of their objects: once the way back has begun
 * they are to stay, and OLM may have some of them back.
 */
import type { Cluster } from '../api/cluster.ts';
import { describeRef, refOf, type ObjectRef } from '../api/object.ts';
import { backupsFor, type AdoptedBy, type OlmName } from './backups.ts';
import { STAGE_ANNOTATION } from './marks.ts';
import { commandToStop } from './olm-v1/undoable.ts';

/** A way back that has begun. */
export interface WayBackUnderWay {
  /** The Secret of the backup. */
  readonly backup: ObjectRef;
  readonly olm: OlmName;
  /** The command that goes on with it. */
  readonly goOn: string;
}

/** The way back of the operator of a Subscription; undefined if none has begun. One request. Throws the errors of the client. */
export async function wayBackOf(
  cluster: Pick<Cluster, 'list'>,
  by: AdoptedBy,
  signal: AbortSignal,
): Promise<WayBackUnderWay | undefined> {
  // Not read in full: OLM may have the operator although a person has damaged the list of its objects.
  const begun = (await backupsFor(cluster, by, signal)).find(({ isOnWayBack }) => isOnWayBack);
  return begun && { backup: refOf(begun.secret), olm: begun.olm, goOn: commandToGoOn(begun.olm) };
}

function commandToGoOn(olm: OlmName): string {
  return olm.from === 'olm-v0'
    ? `slipway adopt undo ${olm.namespace}/${olm.subscription}`
    : `slipway adopt undo ${olm.extension} --from olm-v1`;
}

/** The Subscription while its Revisions are removed, by `spec.uninstall.objects`. */
export type SubscriptionInRemoval = 'gone' | 'leavesObjects' | 'deletesObjects';

export type RemovalDuring =
  | { readonly kind: 'asAsked' }
  /** Nothing is deleted until a person ends the way back, or goes on with it. */
  | { readonly kind: 'hold'; readonly message: string }
  /** Every object stays. */
  | { readonly kind: 'leave'; readonly note: string };

/** The answer to the removal of a Subscription's objects. Pure. */
export function removalDuring(
  wayBack: WayBackUnderWay | undefined,
  subscription: SubscriptionInRemoval,
): RemovalDuring {
  if (wayBack === undefined || subscription === 'leavesObjects') return { kind: 'asAsked' };
  const { backup, olm } = wayBack;
  const goOn = `Go on by \`${wayBack.goOn}\``;
  if (subscription === 'gone') {
    const note = `The objects of the operator stay: it is on its way back to OLM, and its Subscription is gone. ${goOn}`;
    return { kind: 'leave', note };
  }
  // The way back to OLM v1 waits for a Subscription that is being deleted, and does not change it any more.
  const how = olm.from === 'olm-v0' ? goOn : `Set spec.uninstall.objects: Orphan, and go on by \`${wayBack.goOn}\``;
  const end = olm.from === 'olm-v0' ? commandToEnd(backup) : commandToStop(olm);
  const message = `The operator is on its way back to OLM, as ${describeRef(backup)} says, so nothing is deleted. ${how}, which leaves the objects to OLM. To uninstall the operator instead, an administrator ends the way back: ${end}`;
  return { kind: 'hold', message };
}

/**
 * The command that ends a way back to OLM v0 as if it had never begun, as long as Slipway's Subscription exists.
 *
 * @param backup The Secret of the backup.
 */
export function commandToEnd({ namespace = '', name }: ObjectRef): string {
  return `kubectl --namespace ${namespace} annotate secret ${name} ${STAGE_ANNOTATION}=HandedOver --overwrite`;
}
