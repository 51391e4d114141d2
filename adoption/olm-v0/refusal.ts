/** The error of a hand-over from OLM v0 that cannot begin or go on. Pure. */
import type { ReasonedError } from '../../api/errors.ts';
import { notHandedOver, type Refused } from '../refusal.ts';
import type { BackupName } from './backup.ts';
import { OLM, olmRef } from './kinds.ts';

export function refusal({ namespace, subscription }: BackupName, refused: Refused): ReasonedError {
  return notHandedOver(olmRef(OLM.subscription, namespace, subscription), refused);
}
