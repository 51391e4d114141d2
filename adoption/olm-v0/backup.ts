/**
 * The backup of an operator that is handed over: the objects of OLM that go, and the marks of those that stay. It is the
 * memory of the hand-over, which any process can continue, and the way back. Kept in a Secret, since a
 * ClusterServiceVersion may contain credentials in its environment. Pure.
 */
import { ReasonedError } from '../../api/errors.ts';
import type { Cluster } from '../../api/cluster.ts';
import { labelValue } from '../../apply/prepare.ts';
import { API_VERSION } from '../../api/names.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef, type OwnerReference } from '../../api/object.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { ADOPTED_BY_LABEL, ADOPTION_LABEL, STAGE_ANNOTATION } from '../marks.ts';
import { pack, packBackup, unpack, unpackOrNothing, WAY_BACK_KEY, withoutManagedFields } from '../packed.ts';
import { OLM, olmRef, type OlmOperator } from './kinds.ts';
import { isMarkOfFramework } from './marks.ts';
import { requireKind, StoredBackup, StoredName, StoredStage, StoredWayBack } from './stored-backup.ts';
import type { OlmSurvey } from './survey.ts';

/** The marks of OLM on one object. */
export interface MarkedObject extends ObjectRef {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly ownerReferences: readonly OwnerReference[];
}

export interface Backup {
  readonly operator: OlmOperator;
  /** Name of Slipway's Subscription. */
  readonly adoptedBy: string;
  /** Slipway's Subscription, as it is created. */
  readonly wanted: KubeObject;
  /** Absent if OLM had none. */
  readonly subscription?: KubeObject | undefined;
  readonly csv: KubeObject;
  readonly operatorCondition?: KubeObject | undefined;
  readonly objects: readonly MarkedObject[];
  readonly stage: AdoptionStage;
  /** Kept when the way back begins. */
  readonly wayBack?: WayBack | undefined;
}

/** `HandingOver` until OLM has nothing of the operator any more; `HandingBack` from the first step of the way back. */
export type AdoptionStage = 'HandingOver' | 'HandedOver' | 'HandingBack';

/** What Slipway had when the way back began. */
export interface WayBack {
  /** uid of Slipway's Subscription. */
  readonly subscription: string;
  /** Name of its active Revision. */
  readonly revision: string;
  /** The objects of that Revision. */
  readonly managed: readonly ObjectRef[];
  /** `spec.uninstall.objects` of the Subscription, which the way back changes; absent in a list of an earlier release. */
  readonly before?: { readonly objects?: string | undefined } | undefined;
}

const KEY = 'backup.json.gz';

/** Which operator a backup is of, and where it is kept. */
export interface BackupName {
  readonly namespace: string;
  /** Name of OLM's Subscription, or of a ClusterServiceVersion without one. */
  readonly subscription: string;
  /**
   * The namespace of the manager. A user of the operator's namespace could write a Secret there, and would have the
   * administrator who hands the operator over create and delete objects at will.
   */
  readonly kept: string;
}

/** The Secret of a backup. */
export function backupRef({ namespace, subscription, kept }: BackupName): ObjectRef {
  const name = labelValue(`slipway-adoption.${namespace}.${subscription}`).toLowerCase();
  return { apiVersion: 'v1', kind: 'Secret', namespace: kept, name };
}

/** The backups that a namespace keeps; one that was changed so that it names no operator is left out. */
export async function backupsOf(
  cluster: Pick<Cluster, 'list'>,
  kept: string,
  signal: AbortSignal,
): Promise<readonly BackupName[]> {
  const options = { namespace: kept, labelSelector: `${ADOPTION_LABEL}=olm-v0` };
  const secrets = await cluster.list({ apiVersion: 'v1', kind: 'Secret' }, options, signal);
  return secrets.flatMap((secret) => {
    const name = StoredName.safeParse(unpackOrNothing(fieldsOf(secret['data'])[KEY])).data?.operator;
    return name === undefined ? [] : [{ ...name, kept }];
  });
}

/** The backup of an operator as it is now. */
export function makeBackup(
  survey: OlmSurvey & { readonly csv: KubeObject },
  operator: OlmOperator,
  { wanted, objects }: { readonly wanted: KubeObject; readonly objects: readonly KubeObject[] },
): Backup {
  const { subscription, csv, operatorCondition } = survey;
  return {
    operator,
    adoptedBy: wanted.metadata.name,
    wanted,
    ...(subscription !== undefined && { subscription: withoutManagedFields(subscription) }),
    csv: withoutManagedFields(csv),
    ...(operatorCondition !== undefined && { operatorCondition: withoutManagedFields(operatorCondition) }),
    objects: objects.map(marksOf),
    stage: 'HandingOver',
  };
}

function marksOf(object: KubeObject): MarkedObject {
  const { labels = {}, annotations = {}, ownerReferences = [] } = object.metadata;
  const kept = Object.entries(annotations).filter(([key]) => isMarkOfFramework(key));
  return { ...refOf(object), labels, annotations: Object.fromEntries(kept), ownerReferences };
}

const HINT = 'Remove the icon and the samples from its ClusterServiceVersion';

/** The Secret that keeps a backup. @throws ReasonedError InputInvalid, not retried, if it exceeds the size of a Secret */
export function writeBackup(backup: Backup, kept: string): KubeObject {
  const { namespace, subscription } = backup.operator;
  // How far the hand-over is stands in an annotation, which a patch can change.
  const { stage: _stage, wayBack: _wayBack, ...content } = backup;
  const ref = backupRef({ namespace, subscription, kept });
  const packed = packBackup(content, olmRef(OLM.subscription, namespace, subscription), HINT);
  return {
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: {
      name: ref.name,
      namespace: kept,
      labels: { [ADOPTION_LABEL]: 'olm-v0', [ADOPTED_BY_LABEL]: labelValue(backup.adoptedBy) },
    },
    type: 'slipway.dev/adoption',
    data: { [KEY]: packed },
  };
}

/** The patch of a backup's Secret once the operator is handed over. */
export function endHandOver(): Readonly<Record<string, unknown>> {
  return { metadata: { annotations: { [STAGE_ANNOTATION]: 'HandedOver' satisfies AdoptionStage } } };
}

/** The patch of a backup's Secret by which the way back begins. */
export function beginWayBack(wayBack: WayBack): Readonly<Record<string, unknown>> {
  const annotations = { [STAGE_ANNOTATION]: 'HandingBack' satisfies AdoptionStage };
  return { metadata: { annotations }, data: { [WAY_BACK_KEY]: pack(wayBack) } };
}

/** The patch of a backup's Secret by which the way back is given up. */
export function endWayBack(): Readonly<Record<string, unknown>> {
  return { ...endHandOver(), data: { [WAY_BACK_KEY]: null } };
}

/** The backup in a Secret. @throws ReasonedError InputInvalid, not retried, if a person changed it so that it cannot be read */
export function readBackup(secret: KubeObject, { namespace, subscription }: BackupName): Backup {
  try {
    const data = fieldsOf(secret['data']);
    const kept = StoredBackup.parse(unpack(data[KEY])) as unknown as Backup;
    const stage = StoredStage.parse(secret.metadata.annotations?.[STAGE_ANNOTATION]);
    const wayBack = stage === 'HandingBack' ? (StoredWayBack.parse(unpack(data[WAY_BACK_KEY])) as WayBack) : undefined;
    const backup: Backup = { ...kept, stage, ...(wayBack !== undefined && { wayBack }) };
    const { operator, wanted, operatorCondition } = backup;
    if (operator.namespace !== namespace || operator.subscription !== subscription)
      throw new Error(`it is of ${operator.namespace}/${operator.subscription}`);
    requireKind(wanted, { apiVersion: API_VERSION, kind: 'Subscription' }, namespace);
    if (operatorCondition !== undefined) requireKind(operatorCondition, OLM.operatorCondition, namespace);
    return backup;
  } catch (error) {
    throw new ReasonedError({
      reason: 'InputInvalid',
      retry: 'never',
      message: `the backup in ${describeRef(refOf(secret))} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      hint: 'Restore the Secret from a backup of the cluster: it has the ClusterServiceVersion that OLM would need again',
    });
  }
}
