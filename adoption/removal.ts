/**
 * Deletes the rights and the webhook configurations that OLM gave an operator, when Slipway's Subscription that took it over is uninstalled; and keeps
 * those of its namespace if the objects of the operator stay. Sends requests; remains.ts decides.
 */
import { isConflictOrReplaced } from '../api/api-answers.ts';
import type { Cluster } from '../api/cluster.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import type { Subscription } from '../api/subscription.ts';
import { explainFailure, isRefusal } from '../apply/api-failure.ts';
import { deleteSeen } from '../apply/remove.ts';
import { backupsFor, isUnderWay, type FoundBackup } from './backups.ts';
import { handedOverIn } from './handed-over.ts';
import type { Kept } from './kept.ts';
import { bindingParts, isRunning, isWebhooks, judgeRemains, servicesOf, type Remains } from './remains.ts';
import { isRight } from './olm-v0/rights.ts';
import { removalDuring, wayBackOf } from './way-back.ts';
import { untied } from './olm-v0/tied.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';

export interface FoundRemains extends Remains {
  /** The Secret of the backup that lists them. */
  readonly backup: ObjectRef;
  /** The object of OLM that is held during the hand-over, and after it if the manager could not release it. */
  readonly held: ObjectRef;
  /** Whether the operator runs on, since Slipway had not taken it over yet: the rest of its objects stays. */
  readonly runsOn: boolean;
}

export interface FindOptions {
  /** The namespace of the manager, which keeps the backups. */
  readonly kept: string;
  /** Whether a hand-over that is under way ends with the uninstall, by the name of its backup; by default none does. */
  readonly ends?: (backup: string) => boolean;
  readonly signal: AbortSignal;
}

/** Whether it has ever had an operator: if not, another one of its name may have left a backup, and its operator running. */
export function hasHadOperator({ status }: Subscription): boolean {
  return status?.installed !== undefined || status?.adoption?.stage === 'HandedOver';
}

/**
 * The rights of each operator that was handed over to the Subscription, by its backup; none of a hand-over that goes on, or is on the
 * way back; of an operator that runs on since Slipway had not taken it over yet, only webhook configurations without a server. Throws the errors of the client, and InputInvalid, not retried, for a backup that a person has damaged.
 */
export async function findRemains(
  cluster: Pick<Cluster, 'get' | 'list'>,
  subscription: Subscription,
  { kept, ends = () => false, signal }: FindOptions,
): Promise<readonly FoundRemains[]> {
  const { namespace = '', name } = subscription.metadata;
  const { spec } = subscription;
  const found = await backupsFor(cluster, { namespace, name, package: spec.package, kept }, signal);
  const hadOperator = hasHadOperator(subscription);
  const judged = found.map((one) => ({ one, endsNow: isUnderWay(one) && ends(one.secret.metadata.name) }));
  const due = judged.filter(({ endsNow }) => hadOperator || endsNow);
  const remains = await Promise.all(
    due.map(({ one, endsNow }) => remainsOf(cluster, one, { hadOperator, endsNow, signal })),
  );
  return remains.filter((one) => one !== undefined);
}

/** The effect that an uninstall of a Subscription would have on rights of OLM. */
export interface JudgedUninstall {
  readonly rights: readonly FoundRemains[];
  /** Why nothing would be deleted now. */
  readonly held?: string;
}

/** For previews: as the manager decides it. Throws as findRemains does. */
export async function judgeUninstall(
  cluster: Pick<Cluster, 'get' | 'list'>,
  subscription: Subscription,
  { kept, signal }: FindOptions,
): Promise<JudgedUninstall> {
  const { metadata, spec } = subscription;
  const by = { namespace: metadata.namespace ?? '', name: metadata.name, package: spec.package, kept };
  const answer = removalDuring(await wayBackOf(cluster, by, signal), 'deletesObjects');
  if (answer.kind === 'hold') return { rights: [], held: answer.message };
  return { rights: await findRemains(cluster, subscription, { kept, ends: () => true, signal }) };
}

interface RemainsOptions {
  /** Whether the Subscription has had an operator. */
  readonly hadOperator: boolean;
  /** Whether the hand-over is under way and ends now. */
  readonly endsNow: boolean;
  readonly signal: AbortSignal;
}

async function remainsOf(
  cluster: Pick<Cluster, 'get' | 'list'>,
  found: FoundBackup,
  { hadOperator, endsNow, signal }: RemainsOptions,
): Promise<FoundRemains | undefined> {
  const handedOver = handedOverIn(found, endsNow);
  if (handedOver === undefined) return undefined;
  const live = await Promise.all(handedOver.refs.map((ref) => cluster.get(ref, signal)));
  const existing = live.filter((object) => object !== undefined);
  const runsOn = !hadOperator && isRunning(handedOver, existing);
  // Slipway takes a Service over before the Deployment, and has removed it then.
  const judged = runsOn ? existing.filter(isWebhooks) : existing;
  const bindings = judged.some(isRight) ? await bindingsOf(cluster, signal) : [];
  const called = servicesOf(handedOver, judged).map((ref) => cluster.get(ref, signal));
  const services = (await Promise.all(called)).filter((object) => object !== undefined);
  const { due, kept } = judgeRemains(handedOver, judged, { bindings, services });
  const { held } = handedOver;
  return { backup: refOf(found.secret), held, runsOn, due, kept: runsOn ? [] : kept };
}

/** Their parts: all users of the cluster make them. */
async function bindingsOf(cluster: Pick<Cluster, 'list'>, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const kinds = ['RoleBinding', 'ClusterRoleBinding'].map((kind) => ({ apiVersion: RBAC, kind }));
  return (await Promise.all(kinds.map((kind) => cluster.list(kind, { keep: bindingParts }, signal)))).flat();
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
