/**
 * Deletes the rights that OLM v0 gave an operator, when Slipway's Subscription that took it over is uninstalled; and keeps
 * those of its namespace if the objects of the operator stay. Sends requests; remains.ts decides.
 */
import { isConflictOrReplaced } from '../../api/api-answers.ts';
import type { Cluster } from '../../api/cluster.ts';
import { describeRef, refOf, type Kind, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { explainFailure, isRefusal } from '../../apply/api-failure.ts';
import { deleteSeen } from '../../apply/remove.ts';
import { backupRef, backupsOf, readBackup, type BackupName } from './backup.ts';
import { OLM } from './kinds.ts';
import { judgeRemains, refsOf, type Kept, type Remains } from './remains.ts';
import { isRight } from './rights.ts';
import { untied } from './tied.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';

/** Slipway's Subscription, and the namespace of the manager, which keeps the backups. */
export interface AdoptedBy {
  readonly namespace: string;
  readonly name: string;
  /** The package that it asks for: one of the same name for another package has nothing of the operator. */
  readonly package: string;
  readonly kept: string;
}

export interface FoundRemains extends Remains {
  /** The Secret of the backup that lists them. */
  readonly backup: ObjectRef;
  /** The package of the operator. */
  readonly package: string;
}

/**
 * The rights of each operator that was handed over to the Subscription, by its backup; none of a hand-over that is under way,
 * or on the way back. Throws the errors of the client, and InputInvalid, not retried, for a backup that a person has damaged.
 */
export async function findRemains(
  cluster: Pick<Cluster, 'get' | 'list'>,
  { namespace, name, kept, package: packageName }: AdoptedBy,
  signal: AbortSignal,
): Promise<readonly FoundRemains[]> {
  const names = await backupsOf(cluster, kept, signal, name);
  const here = names.filter((one) => one.namespace === namespace);
  const found = await Promise.all(here.map((one) => remainsOf(cluster, one, name, signal)));
  return found.flatMap((one) => (one?.package === packageName ? [one] : []));
}

async function remainsOf(
  cluster: Pick<Cluster, 'get' | 'list'>,
  name: BackupName,
  subscription: string,
  signal: AbortSignal,
): Promise<FoundRemains | undefined> {
  const ref = backupRef(name);
  const secret = await cluster.get(ref, signal);
  const backup = secret && readBackup(secret, name);
  if (backup?.stage !== 'HandedOver' || backup.adoptedBy !== subscription) return undefined;
  const live = await Promise.all(refsOf(backup).map((ref) => cluster.get(ref, signal)));
  const existing = live.filter((object) => object !== undefined);
  const bindings = existing.some(isRight) ? await bindingsOf(cluster, signal) : [];
  return { backup: ref, package: backup.operator.package, ...judgeRemains(backup, existing, bindings) };
}

async function bindingsOf(cluster: Pick<Cluster, 'list'>, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const kinds = ['RoleBinding', 'ClusterRoleBinding'].map((kind) => ({ apiVersion: RBAC, kind }));
  return (await Promise.all(kinds.map((kind) => cluster.list(kind, {}, signal)))).flat();
}

export interface Removed {
  readonly deleted: readonly ObjectRef[];
  /** Objects that the API server does not let the account delete. */
  readonly refused: readonly Kept[];
}

/**
 * One that is tied to Slipway's Subscription is left to the collector, which needs no rights of the account.
 *
 * @param acting As the account of the Subscription. Throws errors that pass by themselves, such as a conflict.
 */
export async function removeRemains(acting: Cluster, { due }: Remains, signal: AbortSignal): Promise<Removed> {
  const deleted: ObjectRef[] = [];
  const refused: Kept[] = [];
  for (const object of due) {
    const ref = refOf(object);
    const why = untied(object) === undefined ? await refusalOf(acting, object, signal) : undefined;
    if (why === undefined) deleted.push(ref);
    else refused.push({ ref, why });
  }
  return { deleted, refused };
}

/** Only the very object that was judged, in the version that was judged. */
async function refusalOf(acting: Cluster, object: KubeObject, signal: AbortSignal): Promise<string | undefined> {
  try {
    await deleteSeen(acting, object, { propagation: 'Background', asSeen: true, signal });
    return undefined;
  } catch (error) {
    if (!isRefusal(error) || isConflictOrReplaced(error)) throw error;
    return explainFailure(error, describeRef(refOf(object))).message;
  }
}

/** Has an object that stays outlive the Subscription to which the hand-over has tied it. As the manager. */
export async function untieKept(
  cluster: Pick<Cluster, 'get' | 'patch'>,
  { kept }: Remains,
  signal: AbortSignal,
): Promise<void> {
  for (const { ref } of kept) {
    const live = await cluster.get(ref, signal);
    const ownerReferences = live && untied(live);
    if (live === undefined || ownerReferences === undefined) continue;
    const { resourceVersion } = live.metadata;
    await cluster.patch(ref, { metadata: { resourceVersion, ownerReferences } }, {}, signal);
  }
}

/** The kinds that the hand-over ties to Slipway's Subscription. */
const TIED: readonly Kind[] = [
  OLM.operatorCondition,
  ...['Role', 'RoleBinding'].map((kind) => ({ apiVersion: RBAC, kind })),
];

/**
 * Takes the owner references to the Subscription off all objects of its namespace, so that the collector does not delete them
 * with it; returns those objects. A backup is not needed.
 */
export async function untieAll(
  cluster: Pick<Cluster, 'list' | 'patch'>,
  { metadata: { namespace = '', uid = '' } }: KubeObject,
  signal: AbortSignal,
): Promise<readonly ObjectRef[]> {
  const lists = await Promise.all(TIED.map((kind) => cluster.list(kind, { namespace, metadataOnly: true }, signal)));
  const tied = lists
    .flat()
    .filter(({ metadata: { ownerReferences = [] } }) => ownerReferences.some((one) => one.uid === uid));
  for (const object of tied) {
    const { resourceVersion } = object.metadata;
    await cluster.patch(
      refOf(object),
      { metadata: { resourceVersion, ownerReferences: untied(object) ?? [] } },
      {},
      signal,
    );
  }
  return tied.map(refOf);
}
