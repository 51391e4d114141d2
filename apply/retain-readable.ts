/**
 * Keeps the objects of a CRD that outlives its operator readable. Its conversion webhook goes with the operator, and the API
 * server would then refuse to read objects in another version than the stored one, and to delete a namespace with them.
 * Called by uninstall.ts before anything goes.
 */
import { canonicalJson } from '../api/json.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { explainFailure, type Failure } from './api-failure.ts';
import type { Cluster } from './cluster.ts';
import { fieldsOf, listOf, textOf, type Fields } from './untyped.ts';

export type Retention =
  /** Nothing that goes converts the objects. */
  | { readonly kind: 'fine' }
  /** Nothing is converted any more: each served version holds what is stored as it is. */
  | { readonly kind: 'change'; readonly spec: Fields; readonly message: string }
  /** Without conversion an object could be read wrong, and written back so: the CRD is left alone. */
  | { readonly kind: 'unreadable'; readonly message: string };

/** Whether a Service goes with the operator. */
export type IsGoing = (service: { readonly namespace: string; readonly name: string }) => boolean;

/**
 * What a CRD that stays needs, from its spec in full. Versions with the schema of what is stored stay served, the others
 * are not served any more: what they would show is not what their clients expect. Where objects may be stored with
 * different schemas, no version can show them all.
 */
export function planRetention(crd: KubeObject, isGoing: IsGoing): Retention {
  if (!isConvertedBy(crd, isGoing)) return { kind: 'fine' };
  const versions = listOf(fieldsOf(crd['spec'])['versions']);
  const storage = versions.find((version) => version['storage'] === true) ?? {};
  const fits = (version: Fields): boolean =>
    canonicalJson(version['schema'] ?? {}) === canonicalJson(storage['schema'] ?? {});
  const stored = fieldsOf(crd['status'])['storedVersions'];
  const names: readonly unknown[] = Array.isArray(stored) ? stored : [];
  const strange = versions.filter((version) => names.includes(version['name']) && !fits(version)).map(nameOf);
  const served = versions.filter((version) => version['served'] === true);
  const kept = served.filter(fits).map(nameOf);
  if (strange.length > 0) return { kind: 'unreadable', message: unreadable(strange) };
  if (kept.length === 0) return { kind: 'unreadable', message: unreadable([nameOf(storage)]) };
  const conversion = { strategy: 'None', webhook: null };
  if (kept.length === served.length) {
    return { kind: 'change', spec: { conversion }, message: 'its webhook goes, and nothing is converted any more' };
  }
  const left = versions.map((version) => (fits(version) ? version : { ...version, served: false }));
  const message = `its conversion webhook goes, so they are served as ${kept.join(', ')} only`;
  return { kind: 'change', spec: { conversion, versions: left }, message };
}

function unreadable(stored: readonly string[]): string {
  return (
    `its conversion webhook goes, and some may be stored as ${stored.join(', ')}: until it is there again, reading them ` +
    'and deleting their namespace can fail'
  );
}

/** Whether a CRD, or what a watch keeps of it, names a conversion webhook that goes. */
export function isConvertedBy({ spec }: KubeObject, isGoing: IsGoing): boolean {
  const { strategy, webhook } = fieldsOf(fieldsOf(spec)['conversion']);
  const service = fieldsOf(fieldsOf(fieldsOf(webhook)['clientConfig'])['service']);
  return strategy === 'Webhook' && isGoing({ namespace: textOf(service['namespace']), name: textOf(service['name']) });
}

function nameOf({ name }: Fields): string {
  return textOf(name);
}

export interface RetainOptions {
  readonly isGoing: IsGoing;
  /** What a watch knows of the CRD, its conversion included. */
  readonly observed?: ((ref: ObjectRef) => KubeObject | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What is to be told of a CRD that stays; or why that it can be read could not be seen to. */
export type Retained = { readonly message?: string; readonly failure?: Failure };

/**
 * Has the API server convert no longer what nothing will convert. No request where a watch knows that nothing is to be
 * done, else two. A refusal is part of the result: as a message where it is final, so that it holds up no removal.
 */
export async function retainReadable(cluster: Cluster, ref: ObjectRef, options: RetainOptions): Promise<Retained> {
  const { isGoing, observed, signal } = options;
  const known = observed?.(ref);
  if (known !== undefined && !isConvertedBy(known, isGoing)) return {};
  try {
    const crd = await cluster.get(ref, signal);
    if (crd === undefined) return {};
    const plan = planRetention(crd, isGoing);
    if (plan.kind === 'fine') return {};
    if (plan.kind === 'change') await cluster.patch(refOf(crd), patchOf(crd, plan.spec), undefined, signal);
    return { message: plan.message };
  } catch (error) {
    const failure = explainFailure(error, describeRef(ref));
    return failure.retry === 'never' ? { message: failure.message } : { failure };
  }
}

/** Only of the very CRD that was looked at. */
function patchOf({ metadata: { resourceVersion } }: KubeObject, spec: Fields): Fields {
  return { metadata: { ...(resourceVersion !== undefined && { resourceVersion }) }, spec };
}
