import { ReasonedError } from './errors.ts';

/** A ReasonedError `InputInvalid`, never retried: a file or a request of an author is wrong, or two of them contradict each other. */
export function invalidInput(message: string, hint: string): ReasonedError {
  return new ReasonedError({ reason: 'InputInvalid', retry: 'never', message, hint });
}
