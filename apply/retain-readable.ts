/**
 * Keeps the objects of a CRD that outlives its operator readable. Its conversion webhook is deleted with the operator,
 * and the API server would then refuse to read objects in another version than the stored one, and to delete a
 * namespace that has some. Called by uninstall.ts before it deletes anything.
 */
import { canonicalJson } from '../api/json.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { explainFailure, type Failure } from './api-failure.ts';
import type { Cluster } from '../api/cluster.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../api/untyped.ts';
import type { Watched } from './watched.ts';

export type Retention =
  /** No deleted Service converts the objects. */
  | { readonly kind: 'fine' }
  /** Conversion is turned off: each served version can show the stored objects unchanged. */
  | { readonly kind: 'change'; readonly spec: Fields; readonly message: string }
  /** Without conversion an object could be read wrong, and written back so: the CRD is left alone. */
  | { readonly kind: 'unreadable'; readonly message: string };

/** Whether the uninstall deletes a Service. */
export type IsGoing = (service: { readonly namespace: string; readonly name: string }) => boolean;

/**
 * The change that a retained CRD needs, from its full spec. Versions with the schema of the stored objects stay served;
 * the others are no longer served, since their clients would get unexpected content. If objects may be stored with
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

/** Whether a CRD, or a watch's copy of it, names a conversion webhook that is deleted. */
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
  /** A watch's copy of the CRD, including its conversion. */
  readonly watched?: Pick<Watched, 'get'> | undefined;
  readonly signal: AbortSignal;
}

/** A message about a retained CRD, or the failure to make it readable. */
export type Retained = { readonly message?: string; readonly failure?: Failure };

/**
 * Turns off a conversion whose webhook is deleted. No request if a watch shows that there is nothing to do, else two. A
 * refusal is part of the result: as a message if it is final, so that it does not block a removal.
 */
export async function retainReadable(cluster: Cluster, ref: ObjectRef, options: RetainOptions): Promise<Retained> {
  const { isGoing, watched, signal } = options;
  const known = watched?.get(ref);
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

/** Bound to the version of the CRD that was read. */
function patchOf({ metadata: { resourceVersion } }: KubeObject, spec: Fields): Fields {
  return { metadata: { ...(resourceVersion !== undefined && { resourceVersion }) }, spec };
}
