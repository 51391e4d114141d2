/** Takes the webhooks of admission apart into atoms: each intercepts a product of groups, resources and operations. Pure. */
import { canonicalJson } from '../../api/json.ts';
import { groupKind, type KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../../api/untyped.ts';
import type { Atom } from './atom.ts';
import { costOfLists, countCombinations, type RightsBudget } from './budget.ts';
import { OPERATOR } from './grants.ts';
import { digestOf, Remainder } from './remainder.ts';
import { textsOf } from './rule.ts';

const ADMISSION = 'admissionregistration.k8s.io';
const EFFECTS: ReadonlyMap<string, WebhookEffect> = new Map([
  [`MutatingWebhookConfiguration.${ADMISSION}`, 'change'],
  [`ValidatingWebhookConfiguration.${ADMISSION}`, 'reject'],
]);

type WebhookEffect = 'change' | 'reject';

/** The effect of the webhooks of a configuration; undefined for any other object. */
export function webhookEffect(object: KubeObject): WebhookEffect | undefined {
  return EFFECTS.get(groupKind(object));
}

/** A rule of a webhook, with its limits. */
interface Interception {
  readonly effect: WebhookEffect;
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  readonly selector: string;
}

/** The parts of all rules; those beyond the budget are one right in words. */
export function atomsOfWebhooks(objects: readonly KubeObject[], budget: RightsBudget): readonly Atom[] {
  const rest = new Remainder();
  const atoms = objects.flatMap(interceptionsOf).flatMap((rule) => {
    const lists = [rule.groups, rule.resources, rule.operations];
    if (budget.spend(costOfLists(lists, rule.selector.length))) return atomsOfInterception(rule);
    rest.add({ holder: OPERATOR, scope: '' }, rule, () => countCombinations(lists));
    return [];
  });
  return [...atoms, ...rest.stated((count) => `intercepts writes by rules with ${count} combinations`)];
}

function interceptionsOf(object: KubeObject): readonly Interception[] {
  const effect = webhookEffect(object);
  if (effect === undefined) return [];
  return listOf(object['webhooks']).flatMap((webhook) => {
    const limits = limitsOf(webhook);
    return listOf(webhook['rules']).map((rule) => ({
      effect,
      groups: textsOf(rule['apiGroups']),
      resources: textsOf(rule['resources']),
      operations: textsOf(rule['operations']),
      selector: selectorOf(limits, ruleLimits(webhook, rule)),
    }));
  });
}

function atomsOfInterception({ effect, groups, resources, operations, selector }: Interception): readonly Atom[] {
  const common = { kind: 'webhook', holder: OPERATOR, effect, selector } as const;
  return groups.flatMap((group) =>
    resources.flatMap((resource) => operations.map((operation): Atom => ({ ...common, group, resource, operation }))),
  );
}

/** The limits of a webhook beside groups, resources and operations, for all of its rules; empty if there are none. */
function limitsOf(webhook: Fields): string {
  return describeLimits({
    namespaces: emptyAsAbsent(webhook['namespaceSelector']),
    objects: emptyAsAbsent(webhook['objectSelector']),
    conditions: listOf(webhook['matchConditions']).length === 0 ? undefined : webhook['matchConditions'],
  });
}

/**
 * The limits of one rule. Versions limit it only if they must match exactly: by default a write in another version is
 * converted, and intercepted as well.
 */
function ruleLimits(webhook: Fields, rule: Fields): string {
  const versions = textsOf(rule['apiVersions']);
  const scope = textOf(rule['scope']);
  return describeLimits({
    versions: webhook['matchPolicy'] === 'Exact' && !versions.includes('*') ? [...versions].sort() : undefined,
    scope: scope === '' || scope === '*' ? undefined : scope,
  });
}

/** Limits may be of any size, and are compared for each part: a digest stands for them. */
function describeLimits(limits: Fields): string {
  const set = Object.entries(limits).filter(([, value]) => value !== undefined);
  return set.length === 0 ? '' : digestOf(canonicalJson(Object.fromEntries(set)));
}

function selectorOf(webhook: string, rule: string): string {
  return webhook === '' && rule === '' ? '' : `${webhook}/${rule}`;
}

function emptyAsAbsent(value: unknown): unknown {
  return Object.keys(fieldsOf(value)).length === 0 ? undefined : value;
}
