/** Gathers the state of a way back to OLM v1 from the cluster. Sends reads, decides only whether there is a way back. */
import type { Cluster } from '../../api/cluster.ts';
import { ANNOTATION, API_VERSION } from '../../api/names.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { InventoryEntry, Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { identityOf } from '../../apply/identity.ts';
import { refOfEntry } from '../../apply/inventory.ts';
import { ownedParts } from '../../apply/listed-parts.ts';
import { backupRef, readBackup, type Backup, type BackupName } from './backup.ts';
import { releasesOf } from './gather.ts';
import { extensionRef } from './kinds.ts';
import { answerOf, isAsked, isOffer, isOfferOf, isTakenOver, type InstalledBundle } from './offer.ts';
import { isOfSlipway, type MarkNames } from './undo-marks.ts';
import type { UndoState } from './undo-steps.ts';
import { catalogFilter, installedBundle } from './extension.ts';
import { isOnlyBegun, problem, requireUndoable } from './undoable.ts';
import { isPinned, readWayBack, type WayBack } from './way-back.ts';

export interface UndoFacts {
  readonly backup: Backup;
  readonly wayBack: WayBack | undefined;
  /** The bundle that is handed back; empty texts if the hand-over is only called off. */
  readonly installed: InstalledBundle;
  /** The objects of the installed version, while Slipway has the operator. */
  readonly inventory: readonly InventoryEntry[];
  readonly state: UndoState;
}

type Reader = Pick<Cluster, 'get' | 'list'>;

/**
 * The state of one way back.
 * @throws ReasonedError InputInvalid, not retried, for a backup that cannot be read; Collision without a backup, or if the
 * operator cannot be handed back now
 */
export async function gatherUndo(cluster: Reader, name: BackupName, signal: AbortSignal): Promise<UndoFacts> {
  const secret = await cluster.get(backupRef(name), signal);
  if (secret === undefined)
    throw problem(name, `${describeRef(backupRef(name))} does not exist`, 'Without the backup there is no way back');
  const [backup, wayBack] = [readBackup(secret, name), readWayBack(secret)];
  const [subscription, extension, releases] = await Promise.all([
    cluster.get(refOf(backup.wanted), signal),
    cluster.get(extensionRef(name.extension), signal),
    releasesOf(cluster, name.extension, signal),
  ]);
  const own = subscription as Subscription | undefined;
  const inventory = await inventoryOf(cluster, own, signal);
  const issued = await issuedIn(cluster, inventory, signal);
  const facts = { name, backup, wayBack, own, extension, issued, releases };
  const isBegun = isOnlyBegun(facts);
  const installed = isBegun ? { bundle: '', version: '' } : requireUndoable(facts);
  const state = {
    isBegun,
    subscription,
    isReleased: own !== undefined || (await isReleased(cluster, { backup, wayBack }, signal)),
    isKept: isKept(wayBack, own, extension),
    isPinned: own !== undefined && isPinned(own, installed.version),
    isStill: isStill(own, inventory),
    extension,
    isOffer: isOffer(extension),
    isOfVersion: isOfferOf(extension, installed),
    answer: answerOf(extension, installed),
    unmarked: subscription === undefined && !isBegun ? await unmarkedOf(cluster, { backup, wayBack }, signal) : [],
    isAsked: isAsked(extension),
    isTakenOver: isTakenOver(extension),
    hasInstalled: installedBundle(extension).version !== '',
    isStillPinned: isStillPinned(extension, wayBack),
  };
  return { backup, wayBack, installed, inventory, state };
}

async function inventoryOf(
  cluster: Reader,
  own: Subscription | undefined,
  signal: AbortSignal,
): Promise<readonly InventoryEntry[]> {
  const name = own?.status?.installed?.revision;
  if (own === undefined || name === undefined) return [];
  const { namespace = '' } = own.metadata;
  const revision = await cluster.get({ apiVersion: API_VERSION, kind: 'Revision', namespace, name }, signal);
  return (revision as Revision | undefined)?.status?.inventory ?? [];
}

function isStillPinned(extension: KubeObject | undefined, wayBack: WayBack | undefined): boolean {
  if (wayBack === undefined || catalogFilter(extension)['version'] !== wayBack.version) return false;
  return fieldsOf(fieldsOf(wayBack.spec['source'])['catalog'])['version'] !== wayBack.version;
}

function isKept(
  wayBack: WayBack | undefined,
  own: Subscription | undefined,
  extension: KubeObject | undefined,
): boolean {
  const offered = extension?.metadata.uid ?? '';
  return wayBack?.revision === own?.status?.installed?.revision && wayBack?.extension === offered;
}

/** A Subscription without its finalizer goes before its Revisions: while no manager runs, those wait for one. */
async function isReleased(
  cluster: Reader,
  { backup, wayBack }: { readonly backup: Backup; readonly wayBack: WayBack | undefined },
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace = '' } = backup.wanted.metadata;
  const kind = { apiVersion: API_VERSION, kind: 'Revision' };
  const revisions = await cluster.list(kind, { namespace, metadataOnly: true, keep: (one) => ownedParts(one) }, signal);
  const isLeft = ({ metadata: { ownerReferences = [] } }: KubeObject): boolean =>
    ownerReferences.some(({ uid }) => uid === wayBack?.subscription);
  return !revisions.some(isLeft);
}

/** The first Secret with a certificate that the manager rotates. */
async function issuedIn(
  cluster: Reader,
  inventory: readonly InventoryEntry[],
  signal: AbortSignal,
): Promise<ObjectRef | undefined> {
  const secrets = inventory.filter(({ kind }) => kind === 'Secret').map(refOfEntry);
  const live = await Promise.all(secrets.map((ref) => cluster.get(ref, signal)));
  const issued = live.find((secret) => secret?.metadata.annotations?.[ANNOTATION.certificateDue] !== undefined);
  return issued && refOf(issued);
}

/** OLM would never delete leftovers, since its bundle does not have them. */
function isStill(own: Subscription | undefined, inventory: readonly InventoryEntry[]): boolean {
  const isRead = own !== undefined && own.status?.observedGeneration === own.metadata.generation;
  return isRead && inventory.every(({ leftover }) => leftover !== true);
}

/** The names in the marks of an operator's objects. */
export function markNames({ extension, olm, wanted: { metadata } }: Backup): MarkNames {
  const namespace = textOf(fieldsOf(olm['spec'])['namespace']);
  return { extension, namespace, adoptedBy: `${metadata.namespace}/${metadata.name}` };
}

async function unmarkedOf(
  cluster: Reader,
  { backup, wayBack }: { readonly backup: Backup; readonly wayBack: WayBack | undefined },
  signal: AbortSignal,
): Promise<readonly ObjectRef[]> {
  const refs = [...backup.objects, ...(wayBack?.managed ?? [])];
  const unique = [...new Map(refs.map((ref) => [identityOf(ref), ref])).values()];
  const live = await Promise.all(unique.map((ref) => cluster.get(ref, signal)));
  const names = markNames(backup);
  return live.flatMap((object) => (object !== undefined && isOfSlipway(object, names) ? [refOf(object)] : []));
}
