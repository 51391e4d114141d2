/** Gathers the state of a way back to OLM v0 from the cluster. Sends reads, decides only whether there is a way back. */
import type { Cluster } from '../../api/cluster.ts';
import { API_VERSION } from '../../api/names.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { identityOf } from '../../apply/identity.ts';
import { nameOnly, ownedParts } from '../../apply/listed-parts.ts';
import { backupRef, readBackup, type Backup, type BackupName } from './backup.ts';
import { OLM, olmRef } from './kinds.ts';
import { hasMarks, isOfOperator, marksFor } from './undo-marks.ts';
import type { UndoState } from './undo-steps.ts';
import { hasList, isHeld, isManaged, isOnlyBegun, problem, requireUndoable } from './undoable.ts';

export interface UndoFacts {
  readonly backup: Backup;
  readonly state: UndoState;
}

type Reader = Pick<Cluster, 'get' | 'list'>;

/** @throws ReasonedError InputInvalid, not retried, without a backup; Collision if the operator cannot be handed back now */
export async function gatherUndo(
  cluster: Reader,
  name: BackupName,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<UndoFacts> {
  const secret = await cluster.get(backupRef(name), signal);
  if (secret === undefined)
    throw problem(name, `${describeRef(backupRef(name))} does not exist`, 'Without the backup there is no way back');
  const backup = readBackup(secret, name);
  const { namespace, csv } = backup.operator;
  const [own, version, olmSubscription] = await Promise.all([
    cluster.get({ apiVersion: API_VERSION, kind: 'Subscription', namespace, name: backup.adoptedBy }, signal),
    cluster.get(olmRef(OLM.csv, namespace, csv), signal),
    cluster.get(olmRef(OLM.subscription, namespace, name.subscription), signal),
  ]);
  const subscription = own as Subscription | undefined;
  const isBegun = isOnlyBegun(backup, subscription, version);
  if (!isBegun) requireUndoable(name, backup, subscription);
  if (isManaged(backup, subscription)) await requireGroup(cluster, name, signal);
  const state = {
    isBegun,
    isStatusOld: isStatusOld(olmSubscription, now),
    subscription: own,
    isHeld: isHeld(backup, subscription),
    isReleased: own !== undefined || (await isReleased(cluster, backup, signal)),
    hasList: hasList(backup, subscription),
    csv: version,
    ...(version === undefined ? NOTHING_TO_MARK : await unmarkedOf(cluster, backup, version, signal)),
    olmSubscription,
    hadSubscription: backup.subscription !== undefined,
  };
  return { backup, state };
}

/** A Subscription without its finalizer goes before its Revisions: while no manager runs, those wait for one. */
async function isReleased(cluster: Reader, { operator, wayBack }: Backup, signal: AbortSignal): Promise<boolean> {
  const kind = { apiVersion: API_VERSION, kind: 'Revision' };
  const revisions = await cluster.list(
    kind,
    { namespace: operator.namespace, metadataOnly: true, keep: (one) => ownedParts(one) },
    signal,
  );
  const isLeft = ({ metadata: { ownerReferences = [] } }: KubeObject): boolean =>
    ownerReferences.some(({ uid }) => uid === wayBack?.subscription);
  return !revisions.some(isLeft);
}

/** Longer than OLM waits for the content of a catalog, so that no resolution from before is left. */
const OLD_MS = 90_000;

function isStatusOld(olmSubscription: KubeObject | undefined, now: Date): boolean {
  const { lastUpdated } = fieldsOf(olmSubscription?.['status']);
  return now.getTime() - Date.parse(textOf(lastUpdated)) > OLD_MS;
}

async function requireGroup(cluster: Reader, name: BackupName, signal: AbortSignal): Promise<void> {
  const { namespace } = name;
  const groups = await cluster.list(OLM.operatorGroup, { namespace, metadataOnly: true, keep: nameOnly }, signal);
  if (groups.length === 1) return;
  const found = `namespace ${namespace} has ${groups.length} OperatorGroups`;
  throw problem(name, found, 'OLM needs exactly the one that it had');
}

type Unmarked = Pick<UndoState, 'unmarked' | 'ofOthers'>;

const NOTHING_TO_MARK: Unmarked = { unmarked: [], ofOthers: [] };

async function unmarkedOf(cluster: Reader, backup: Backup, csv: KubeObject, signal: AbortSignal): Promise<Unmarked> {
  const { uid = '' } = csv.metadata;
  const live = await Promise.all(objectsOf(backup).map((ref) => cluster.get(ref, signal)));
  const unmarked = live
    .filter((object) => object !== undefined)
    .map((object) => ({ object, ref: refOf(object), marks: marksFor(refOf(object), backup, uid) }))
    .filter(({ object, marks }) => !hasMarks(object, marks));
  const { ours = [], theirs = [] } = Object.groupBy(unmarked, ({ object, marks }) =>
    isOfOperator(object, backup, marks) ? 'ours' : 'theirs',
  );
  return { unmarked: ours.map(({ ref }) => ref), ofOthers: theirs.map(({ ref }) => ref) };
}

/** Those that OLM had made and those that Slipway made, each once. */
function objectsOf({ objects, wayBack }: Backup): readonly ObjectRef[] {
  const refs = [...objects, ...(wayBack?.managed ?? [])].map(({ apiVersion, kind, namespace, name }) => ({
    apiVersion,
    kind,
    name,
    ...(namespace !== undefined && { namespace }),
  }));
  return [...new Map(refs.map((ref) => [identityOf(ref), ref])).values()];
}
