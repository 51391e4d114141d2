/** The error of a hand-over from OLM v1 that cannot begin or go on. Pure. */
import type { ReasonedError } from '../../api/errors.ts';
import { notHandedOver } from '../refusal.ts';
import type { BackupName } from './backup.ts';
import { extensionRef } from './kinds.ts';

export function refusal({ extension }: BackupName, why: string, hint?: string): ReasonedError {
  return notHandedOver(extensionRef(extension), { why, ...(hint !== undefined && { hint }) });
}
