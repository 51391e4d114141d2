/** A step that another writer was faster with. */
import { isAlreadyExists, isConflictOrReplaced } from '../api/api-answers.ts';

/** A conflict with another writer is no error of a step: the next state decides again. */
export async function allowingConflicts(act: Promise<void>): Promise<void> {
  try {
    await act;
  } catch (error) {
    if (!isConflictOrReplaced(error) && !isAlreadyExists(error)) throw error;
  }
}
