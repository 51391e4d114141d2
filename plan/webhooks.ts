/** Lists the webhooks that a change adds and removes: of admission, and of the conversion of CRDs. Pure. */
import { compareText } from '../api/compare-text.ts';
import { isCrd } from '../api/crd-kind.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../api/untyped.ts';
import { describeRef, refOf, type KubeObject } from '../api/object.ts';
import type { PlannedWebhook, WebhooksChange } from './model.ts';
import { webhookEffect } from './rights/webhook-atoms.ts';
import { listWithMore, nounOf, shortList } from './rights/nouns.ts';
import { textsOf } from './rights/rule.ts';

/** The webhooks that only one side has, by name. */
export function compareWebhooks(before: readonly KubeObject[], after: readonly KubeObject[]): WebhooksChange {
  const [old, next] = [webhooksOf(before), webhooksOf(after)];
  return { added: missingIn(old, next), removed: missingIn(next, old) };
}

function missingIn(
  known: ReadonlyMap<string, PlannedWebhook>,
  webhooks: ReadonlyMap<string, PlannedWebhook>,
): readonly PlannedWebhook[] {
  return [...webhooks.values()].filter(({ name }) => !known.has(name)).toSorted((a, b) => compareText(a.name, b.name));
}

function webhooksOf(objects: readonly KubeObject[]): ReadonlyMap<string, PlannedWebhook> {
  return new Map(
    objects.flatMap((object) => [...ofAdmission(object), ...ofConversion(object)]).map((one) => [one.name, one]),
  );
}

function ofAdmission(object: KubeObject): readonly PlannedWebhook[] {
  const effect = webhookEffect(object);
  if (effect === undefined) return [];
  return listOf(object['webhooks']).map((webhook) => ({
    name: `${describeRef(refOf(object))}: ${textOf(webhook['name'])}`,
    type: effect === 'change' ? 'mutating' : 'validating',
    failurePolicy: webhook['failurePolicy'] === 'Ignore' ? 'Ignore' : 'Fail',
    intercepts: describeIntercepted(webhook),
  }));
}

/** `create and update of Pods`, in the order of the rules. */
function describeIntercepted(webhook: Fields): string {
  const rules = listOf(webhook['rules']).map((rule) => {
    const operations = textsOf(rule['operations']).map((one) => (one === '*' ? 'every request' : one.toLowerCase()));
    const [groups, resources] = [textsOf(rule['apiGroups']), textsOf(rule['resources'])];
    const nouns = firstNouns(groups, resources);
    const more = groups.length * resources.length - nouns.length;
    return `${shortList(operations, MOST)} of ${listWithMore(nouns, more)}`;
  });
  return shortList(rules, MOST);
}

const MOST = 6;

/** The nouns that are shown: a bundle can name more combinations than memory can hold. */
function firstNouns(groups: readonly string[], resources: readonly string[]): readonly string[] {
  return groups
    .slice(0, MOST)
    .flatMap((group) => resources.slice(0, MOST).map((one) => nounOf(group, one === '*/*' ? '*' : one)))
    .slice(0, MOST);
}

function ofConversion(object: KubeObject): readonly PlannedWebhook[] {
  const spec = fieldsOf(object['spec']);
  if (!isCrd(object) || fieldsOf(spec['conversion'])['strategy'] !== 'Webhook') return [];
  const { name } = object.metadata;
  return [
    {
      name: `${describeRef(refOf(object))}: conversion`,
      type: 'conversion',
      failurePolicy: 'Fail',
      intercepts: `reads and writes of ${name} in a version in which they are not stored`,
    },
  ];
}
