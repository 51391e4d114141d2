/** The error of a hand-over that cannot begin or go on. Pure. */
import { ReasonedError } from '../api/errors.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';

/** Neither OLM nor Slipway has the operator of a hand-over that has begun. */
export const GONE = 'it was deleted by another program, or its operator was uninstalled since';

export interface Refused {
  readonly why: string;
  /** Without one, nothing has been changed. */
  readonly hint?: string;
}

/**
 * Collision, tried again with growing delays: the cluster may change.
 *
 * @param ref The object of OLM that a person names.
 */
export function notHandedOver(ref: ObjectRef, { why, hint = 'Nothing has been changed' }: Refused): ReasonedError {
  return new ReasonedError({
    reason: 'Collision',
    retry: 'backoff',
    message: `${describeRef(ref)} is not handed over: ${why}`,
    hint,
  });
}

/**
 * The command line hands over without the manager: two that go on with one operator would hide each other's errors.
 *
 * @param live Slipway's Subscription.
 */
export function adoptedByManager(ref: ObjectRef, live: KubeObject): ReasonedError {
  return notHandedOver(ref, {
    why: `${describeRef(refOf(live))} has spec.adopt, so the manager goes on`,
    hint: 'Read its condition Adopted',
  });
}
