/** The refusal to act on the absence of an object from a cache, if the API server has the object: the cache lags. */
import { ReasonedError } from '../api/errors.ts';
import { describeRef, type ObjectRef } from '../api/object.ts';

/** Conflict, retried: by then the watch has reported the object. */
export function unreported(ref: ObjectRef): ReasonedError {
  const message = `${describeRef(ref)} exists, and its watch has not reported it yet`;
  return new ReasonedError({ reason: 'Conflict', retry: 'backoff', message });
}
