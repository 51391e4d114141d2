/** Finds the objects that only OLM's way of naming needed, and those of OLM about the operator. Sends requests. */
import { ANNOTATION } from '../../api/names.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { Cluster } from '../../api/cluster.ts';
import { identityOf } from '../../apply/identity.ts';
import type { Backup } from './backup.ts';
import { conditionRights } from './condition.ts';
import { OLM } from './kinds.ts';
import { isRight, replacedRights } from './rights.ts';
import type { OlmSurvey } from './survey.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';

export interface Remains {
  readonly backup: Backup;
  readonly survey: OlmSurvey;
  /** The objects of Slipway's active Revision, by identity. */
  readonly inventory: ReadonlyMap<string, ObjectRef>;
  /** The InstallPlans of this operator alone. */
  readonly plans: readonly ObjectRef[];
}

/** The kinds that OLM names in its own way, so that Slipway has made others in their place. */
const RENAMED: ReadonlySet<string> = new Set([
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
]);

/** Those that exist. Throws the errors of the client. */
export async function leftoversOf(
  cluster: Pick<Cluster, 'get' | 'list'>,
  { backup, survey, inventory, plans }: Remains,
  signal: AbortSignal,
): Promise<readonly ObjectRef[]> {
  const { namespace } = survey;
  const { csv, package: packageName } = backup.operator;
  const adoptBy = `${namespace}/${backup.adoptedBy}`;
  // Without an inventory Slipway has made nothing in their place.
  const isReplaced = (ref: ObjectRef): boolean => RENAMED.has(ref.kind) && !inventory.has(identityOf(ref));
  const replaced = inventory.size === 0 ? [] : backup.objects.filter(isReplaced);
  const rights = conditionRights(backup).map(refOf);
  const live = await liveOf(cluster, [...replaced, ...rights], signal);
  const ownRights = await liveOf(cluster, [...inventory.values()].filter(isRight), signal);
  const [operator, roles] = await Promise.all([
    cluster.get({ ...OLM.operator, name: `${packageName}.${namespace}` }, signal),
    backup.operatorCondition === undefined
      ? undefined
      : cluster.get({ apiVersion: RBAC, kind: 'RoleBinding', namespace, name: csv }, signal),
  ]);
  const isOurs = ({ metadata }: KubeObject): boolean => metadata.annotations?.[ANNOTATION.adoptBy] === adoptBy;
  const granted = new Set(rights.map(identityOf));
  // The temporary rights go once OLM has made its own again.
  const holder = survey.operatorCondition?.metadata.uid;
  const hasRights = (roles?.metadata.ownerReferences ?? []).some(({ uid }) => uid === holder);
  const isDue = (object: KubeObject): boolean => !granted.has(identityOf(refOf(object))) || hasRights;
  const due = live.filter((object) => isOurs(object) && isDue(object));
  const isTemporary = (object: KubeObject): boolean => granted.has(identityOf(refOf(object)));
  const ofOlm = due.filter((object) => isRight(object) && !isTemporary(object));
  const replacedOnes = new Set(replacedRights(ofOlm, ownRights));
  return [
    ...due.filter((object) => !ofOlm.includes(object) || replacedOnes.has(object)).map(refOf),
    ...plans,
    ...(operator === undefined ? [] : [refOf(operator)]),
    ...survey.copies.map(refOf),
  ];
}

async function liveOf(
  cluster: Pick<Cluster, 'get'>,
  refs: readonly ObjectRef[],
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const live = await Promise.all(refs.map((ref) => cluster.get(ref, signal)));
  return live.filter((object) => object !== undefined);
}
