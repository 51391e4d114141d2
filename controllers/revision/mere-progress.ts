/** Whether a status differs from the one before only in its progress. Pure. */
import { findCondition } from '../../api/conditions.ts';
import { canonicalJson } from '../../api/json.ts';
import type { RevisionStatus } from '../../api/revision.ts';

/** Whether the roll-out is in progress before and after, for the same reason and with the same objects applied. */
export function isMereProgress(before: RevisionStatus, next: RevisionStatus): boolean {
  const facts = (status: RevisionStatus): unknown => [
    (status.conditions ?? []).map(({ type, status: value, reason }) => [type, value, reason]),
    status.inventory ?? [],
    status.observedGeneration ?? 0,
  ];
  const underWay = findCondition(next.conditions, 'Reconciling') !== undefined;
  return underWay && canonicalJson(facts(before)) === canonicalJson(facts(next));
}
