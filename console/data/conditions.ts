/** Conditions of an object as rows, each with the question that it answers. Pure. */
import { CONDITIONS, type Condition, type ConditionType } from '../../api/conditions.ts';
import { conditionTone } from './badges.ts';
import type { ConditionRow } from './models.ts';
import { line, nameOf } from './text.ts';

export function conditionRows(conditions: readonly Condition[] | undefined): readonly ConditionRow[] {
  return (conditions ?? []).map((one) => ({
    type: nameOf(one.type),
    question: CONDITIONS[one.type as ConditionType] ?? '',
    status: one.status,
    tone: conditionTone(one),
    reason: nameOf(one.reason),
    message: line(one.message),
    since: nameOf(one.lastTransitionTime),
  }));
}
