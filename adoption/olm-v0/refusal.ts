/** The error of a hand-over that cannot begin or go on. Pure. */
import { ReasonedError } from '../../api/errors.ts';
import { describeRef } from '../../api/object.ts';
import type { BackupName } from './backup.ts';
import { OLM } from './kinds.ts';

export interface Refused {
  readonly why: string;
  /** Without one, nothing has been changed. */
  readonly hint?: string;
}

/** Collision, tried again with growing delays: the cluster may change. */
export function refusal(
  { namespace, subscription }: BackupName,
  { why, hint = 'Nothing has been changed' }: Refused,
): ReasonedError {
  return new ReasonedError({
    reason: 'Collision',
    retry: 'backoff',
    message: `${describeRef({ ...OLM.subscription, namespace, name: subscription })} is not handed over: ${why}`,
    hint,
  });
}
