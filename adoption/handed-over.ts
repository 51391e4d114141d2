/** The facts of a hand-over that is over, whichever OLM had the operator: they decide which of its objects are left. Pure. */
import { refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import type { FoundBackup } from './backups.ts';
import { readBackup as readV0, type Backup as BackupOfV0 } from './olm-v0/backup.ts';
import { conditionRights } from './olm-v0/condition.ts';
import { OLM, olmRef } from './olm-v0/kinds.ts';
import { isMarked as isMarkedByV0 } from './olm-v0/marks.ts';
import { readBackup as readV1, type Backup as BackupOfV1 } from './olm-v1/backup.ts';
import { extensionRef } from './olm-v1/kinds.ts';
import { isMarked as isMarkedByV1, otherExtension } from './olm-v1/marks.ts';

export interface HandedOver {
  /** That of the operator and of Slipway's Subscription. */
  readonly namespace: string;
  /** Name of Slipway's Subscription. */
  readonly adoptedBy: string;
  /** The object of OLM that is held during the hand-over. */
  readonly held: ObjectRef;
  /** The objects that may be left. */
  readonly refs: readonly ObjectRef[];
  /** Whether OLM recognizes an object again. */
  readonly isMarked: (object: KubeObject) => boolean;
}

/**
 * Undefined for a hand-over that is under way, or on the way back.
 *
 * @param ends Whether one that is under way ends now.
 * @throws ReasonedError InputInvalid, not retried, for a backup that a person has damaged
 */
export function handedOverIn({ secret, olm, isOnWayBack }: FoundBackup, ends: boolean): HandedOver | undefined {
  if (isOnWayBack) return undefined;
  const kept = secret.metadata.namespace ?? '';
  if (olm.from === 'olm-v0') {
    const backup = readV0(secret, { ...olm, kept });
    return backup.stage === 'HandedOver' || ends ? handedOverByV0(backup) : undefined;
  }
  const backup = readV1(secret, { ...olm, kept });
  return backup.isEnded || ends ? handedOverByV1(backup) : undefined;
}

/** The objects that OLM v0 had marked, the OperatorCondition, and the rights on it that stood in for those of OLM. */
export function handedOverByV0(backup: BackupOfV0): HandedOver {
  const { operator, adoptedBy, objects, operatorCondition } = backup;
  const { namespace, csv } = operator;
  const condition = olmRef(OLM.operatorCondition, namespace, csv);
  const refs = [
    ...objects,
    ...(operatorCondition === undefined ? [] : [condition]),
    ...conditionRights(backup).map(refOf),
  ];
  return { namespace, adoptedBy, held: olmRef(OLM.csv, namespace, csv), refs, isMarked: isMarkedByV0 };
}

/** The names of OLM v1 are those of Slipway, unless the two render a version differently. */
function handedOverByV1({ extension, wanted, objects }: BackupOfV1): HandedOver {
  const { namespace = '', name: adoptedBy } = wanted.metadata;
  const isMarked = (object: KubeObject): boolean =>
    isMarkedByV1(object, extension) || otherExtension(object, extension) !== undefined;
  return { namespace, adoptedBy, held: extensionRef(extension), refs: objects, isMarked };
}
