/** The one error by which the command line refuses its input. */
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
