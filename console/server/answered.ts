/** A read whose failure is an answer too. */
import { ReasonedError } from '../../api/errors.ts';
import type { Answer } from '../data/ask.ts';

/** The value, or why there is none. @throws The reason of `signal`, and a defect */
export async function answered<Value>(read: () => Promise<Value>, signal: AbortSignal): Promise<Answer<Value>> {
  try {
    return { value: await read() };
  } catch (error) {
    if (signal.aborted || !(error instanceof ReasonedError)) throw error;
    return { failure: { reason: error.reason, message: error.message } };
  }
}
