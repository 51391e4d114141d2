/**
 * Label selectors. Pure.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
import type { SubscriptionSpec } from '../../api/subscription.ts';

export type LabelSelector = NonNullable<SubscriptionSpec['catalogSelector']>;

/** Whether labels match; an absent or empty selector matches everything. */
export function matchesSelector(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  const has = new Map(Object.entries(labels ?? {}));
  const equal = Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => has.get(key) === value);
  return equal && (selector?.matchExpressions ?? []).every((expression) => matchesExpression(expression, has));
}

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

function matchesExpression({ key, operator, values = [] }: Expression, labels: ReadonlyMap<string, string>): boolean {
  const value = labels.get(key);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}
