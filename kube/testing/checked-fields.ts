/** The few fields that the fake API server validates, since clients handle their refusals in a way of its own. Pure. */
import { isCrd } from '../../api/crd-kind.ts';
import { canonicalJson } from '../../api/json.ts';
import { groupKind, type KubeObject } from '../../api/object.ts';
import type { Resource } from '../client/resource-path.ts';
import { invalid, Refusal } from './refusal.ts';

/** Throws the Refusal 422 for a change of a Deployment's selector. */
export function checkImmutable({ plural }: Resource, live: KubeObject, next: KubeObject): void {
  if (groupKind(next) !== 'Deployment.apps' || canonicalJson(selectorOf(live)) === canonicalJson(selectorOf(next)))
    return;
  throw invalid(plural, next.metadata.name, { field: 'spec.selector', why: 'field is immutable' });
}

function selectorOf(object: KubeObject): unknown {
  return (object['spec'] as { selector?: unknown } | undefined)?.selector ?? null;
}

/** Throws the Refusal 422 for a CRD that names a webhook and does not convert by it. */
export function checkConversion({ plural }: Resource, next: KubeObject): void {
  const { conversion } = (next['spec'] ?? {}) as { conversion?: { strategy?: string; webhook?: unknown } };
  if (!isCrd(next) || conversion?.webhook === undefined || conversion.strategy === 'Webhook') return;
  const why = 'should not be set when strategy is not set to Webhook';
  throw invalid(plural, next.metadata.name, { field: 'spec.conversion.webhookClientConfig', why });
}

/**
 * Throws the Refusal 500 for an environment variable that is there twice: server-side apply merges this list by name,
 * and a plain create accepts it.
 */
export function checkMergeable(object: KubeObject): void {
  const lists = [...canonicalJson(object).matchAll(/"env":(\[[^\]]*\])/g)];
  const isTwice = lists.some(([, list = '[]']) => {
    const names = (JSON.parse(list) as readonly { readonly name: string }[]).map(({ name }) => name);
    return new Set(names).size < names.length;
  });
  if (!isTwice) return;
  const message = `failed to create typed patch object (${object.metadata.name}): env: duplicate entries for key`;
  throw new Refusal(500, '', message);
}
