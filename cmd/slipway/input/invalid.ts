/** The one way in which the command line refuses what it was given. */
import { ReasonedError } from '../../../api/errors.ts';

/** A ReasonedError `InputInvalid`. */
export function invalidInput(message: string, hint?: string, cause?: unknown): ReasonedError {
  return new ReasonedError({
    reason: 'InputInvalid',
    retry: 'never',
    message,
    ...(hint !== undefined && { hint }),
    cause,
  });
}
