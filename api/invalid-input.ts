/** The one error by which input of a person or an author is refused. */
import { ReasonedError } from './errors.ts';

/** A ReasonedError `InputInvalid`, never retried: a file or a request is wrong, or two of them contradict each other. */
export function invalidInput(message: string, hint?: string, cause?: unknown): ReasonedError {
  return new ReasonedError({
    reason: 'InputInvalid',
    retry: 'never',
    message,
    ...(hint !== undefined && { hint }),
    cause,
  });
}
