/** For tests of hostile input: an action may fail with a reason, and in no other way. */
import { ReasonedError } from '../../api/errors.ts';

/** The result, or nothing if it is refused with a reason of the closed list. Any other error is a defect. */
export function orRefused<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof ReasonedError) return undefined;
    throw error;
  }
}
