/** The way in which a change of a catalog by its author is refused. */
import { ReasonedError } from '../../api/errors.ts';

/** A ReasonedError `InputInvalid`, never retried: the request and the catalog contradict each other. */
export function refuse(message: string, hint: string): ReasonedError {
  return new ReasonedError({ reason: 'InputInvalid', retry: 'never', message, hint });
}
