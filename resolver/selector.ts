/**
 * Whether the labels of a Catalog meet a Subscription's `catalogSelector`, and those of a namespace a Catalog's
 * `allowedNamespaces`; the rules are those of Kubernetes.
 */

/** A label selector as Kubernetes writes it; all conditions must hold, and an empty selector matches everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?: readonly SelectorExpression[] | undefined;
}

interface SelectorExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

/**
 * Whether labels match; an absent or empty selector matches everything.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export function matchesSelector(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  const present = new Map(Object.entries(labels ?? {}));
  return expressionsOf(selector).every((expression) => holds(expression, present));
}

/** Conditions of a selector that labels do not meet, as kubectl writes them: `tier=gold`, `team in (a,b)`, `!frozen`. */
export function describeUnmet(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>> | undefined,
): readonly string[] {
  const present = new Map(Object.entries(labels ?? {}));
  return expressionsOf(selector)
    .filter((expression) => !holds(expression, present))
    .map(describeExpression);
}

/** All conditions of a selector, as kubectl writes them. */
export function describeSelector(selector: LabelSelector): readonly string[] {
  return expressionsOf(selector).map(describeExpression);
}

function describeExpression({ key, operator, values = [] }: SelectorExpression): string {
  switch (operator) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    default:
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(',')})`;
  }
}

/**
 * Why a selector is invalid; undefined if it is valid. The API server has already checked the operators and the number
 * of their values, but not the form of keys and values.
 */
export function selectorProblem(selector: LabelSelector): string | undefined {
  for (const expression of expressionsOf(selector)) {
    const problem = problemOf(expression);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Everything that must hold; an equality is a list of one. */
function expressionsOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): readonly SelectorExpression[] {
  const equalities = Object.entries(matchLabels).map(([key, value]): SelectorExpression => ({
    key,
    operator: 'In',
    values: [value],
  }));
  return [...equalities, ...matchExpressions];
}

function holds({ key, operator, values = [] }: SelectorExpression, labels: ReadonlyMap<string, string>): boolean {
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
    default:
      return false;
  }
}

function problemOf({ key, operator, values = [] }: SelectorExpression): string | undefined {
  const [prefix, name] = key.includes('/')
    ? [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)]
    : [undefined, key];
  if (!NAME.test(name) || (prefix !== undefined && !PREFIX.test(prefix)))
    return `${JSON.stringify(key)} is no label key`;
  if (!['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator))
    return `${JSON.stringify(operator)} is no operator`;
  const wantsValues = operator === 'In' || operator === 'NotIn';
  if (wantsValues !== values.length > 0)
    return `operator ${operator} takes ${wantsValues ? 'at least one value' : 'no values'}`;
  const wrong = values.find((value) => value !== '' && !NAME.test(value));
  return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is no label value`;
}
