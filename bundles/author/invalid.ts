import { ReasonedError } from '../../api/errors.ts';

/** A ReasonedError `InputInvalid`, never retried: no bundle can be made of these objects. */
export function invalid(message: string, hint: string): ReasonedError {
  return new ReasonedError({ reason: 'InputInvalid', retry: 'never', message, hint });
}
