/** Whether the removal of a Revision's objects has begun: from then on no way back to OLM is waited for. Pure. */
import { findCondition } from '../api/conditions.ts';
import type { Revision } from '../api/revision.ts';

/** A Revision that only waits for its turn has the reason too, but is not Reconciling. */
export function isRemovalUnderWay({ status }: Revision): boolean {
  const ready = findCondition(status?.conditions, 'Ready');
  return ready?.reason === 'Uninstalling' && findCondition(status?.conditions, 'Reconciling') !== undefined;
}
